// The page of one stream: `#/streams/NAME`.

import { el, fill } from './dom.js';
import { EntryPage } from './entry_page.js';
import { pathOf, readAt } from './path.js';

/** @type {import('./router.js').Show} */
export function show(main, state, { rest: [name = ''] }) {
  const segments = ['streams', name];
  const box = el('div', { class: 'entry-page' }, el('p', { class: 'quiet' }, 'Loading …'));
  const kind = state.rows.find((row) => row.name === name)?.kind;
  const remove = () => {
    const path = pathOf(segments);
    state.drafts.addMany({ label: `remove ${path}`, base: state.revision ?? '', assignments: [{ path, value: 'remove', before: readAt(state.config, path) }] });
    state.announce(`${name} will be removed when the edits are applied.`);
  };
  fill(main,
    el('div', { class: 'page-head' },
      el('p', { class: 'crumbs' }, el('a', { href: '#/streams' }, 'Streams'), ' /'),
      el('h1', {}, name), kind && el('span', { class: 'state' }, kind),
      state.mayEdit && el('button', { type: 'button', onclick: remove }, 'Remove stream')),
    box);
  const page = new EntryPage(box, state, segments);
  void page.load();
  return () => page.leave();
}

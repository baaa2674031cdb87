// The list of streams.

import { el, fill } from './dom.js';
import { hashOf } from './router.js';
import { VirtualRows } from './virtual_rows.js';

/** The height of a row; `console.css` has the same. */
const HEIGHT = 34;

/** @type {import('./router.js').Show} */
export function show(main, state) {
  const body = el('div', { class: 'grid-body', role: 'rowgroup' });
  const grid = el('div', { class: 'grid', role: 'grid', 'aria-label': 'Streams', tabindex: 0 },
    el('div', { role: 'rowgroup' }, el('div', { class: 'grid-row grid-head', role: 'row' },
      ...['Name', 'Kind', 'Source', 'Authorization', 'Prepush', 'Archive'].map((word) => el('span', { role: 'columnheader' }, word)))),
    body);
  fill(main, grid);
  const list = new VirtualRows(body, HEIGHT, (index) => {
    const row = state.rows[index];
    return el('div', { class: 'grid-row', role: 'row', 'aria-rowindex': index + 2 },
      el('span', { role: 'gridcell' }, el('a', { href: hashOf('streams', { rest: [row.name] }) }, row.name)),
      ...[row.kind, row.source, row.authorization, row.prepush, row.archive].map((word) => el('span', { role: 'gridcell' }, word)));
  });
  const draw = () => list.reset(state.rows.length);
  draw();
  const unsubscribe = state.subscribe((_, changed) => { if (changed.has('rows')) draw(); });
  return () => {
    unsubscribe();
    list.leave();
  };
}

// The lists of lives, templates and plugins: `#/lives`, `#/templates`, `#/plugins`.

import { KEYS, VirtualRows, counted, el, fill, keyOf, placeOf, textOf } from './base.js';
import { usersOf } from './entry.js';
import { blockTools } from './list.js';

/** Members that say nothing of their own. */
const USUAL = /^(?:name|prefix|position|static)$|_global$/;

/** @type {import('./base.js').Show} */
export function showGroup(main, state, { view }, signal) {
  const title = view.charAt(0).toUpperCase() + view.slice(1);
  /** A name, what it sets, and how many use it: all, and those that the filter leaves. @type {[string, string, string][][]} */
  let [all, rows] = [[], []];
  const search = el('input.filter', { type: 'search', 'aria-label': 'Filter', placeholder: 'Filter', oninput: filter, onkeydown: (event) => { if (keyOf(event) === 'ArrowDown') grid.focus(); } });
  const count = el('span.quiet.count', { role: 'status' });
  const body = el('div.rows', { role: 'rowgroup' });
  const columns = ['Name', 'Values', view === 'templates' ? 'Used by' : ''].filter(Boolean);
  const cells = (/** @type {import('./base.js').Child[]} */ shown, /** @type {string} */ role) =>
    shown.slice(0, columns.length).map((cell, at) => el('span', { role, class: ['name', 'source', 'kind'][at] }, cell));
  const grid = el('div.streams.group', { role: 'grid', 'aria-label': title, tabindex: 0, onkeydown: key },
    el('div', { role: 'rowgroup' }, el('div.row.titles', { role: 'row' }, cells(columns, 'columnheader'))), body);
  const empty = el('p.quiet');
  fill(main, el('div.streams-page', el('h1.unseen', title), el('div.tools', search, count, blockTools(state, view, signal)), grid, empty));
  const list = new VirtualRows(body, (index) => {
    const [name, values, uses] = rows[index] ?? ['', '', ''];
    return el('div.row', { role: 'row', id: `row-${index}` }, cells([el('a', { href: placeOf(name, view), tabindex: -1 }, name), values, uses], 'gridcell'));
  }, () => grid.setAttribute('aria-activedescendant', `row-${list.at}`));

  function take() {
    all = Object.entries(state.whole?.[KEYS[view] ?? ''] ?? {}).map(([name, block]) => /** @type {[string, string, string]} */ ([name,
      Object.entries(Object(block)).filter(([member]) => !USUAL.test(member)).map(([member, value]) => `${member} ${textOf(value)}`).join(', '),
      view === 'templates' ? counted(usersOf(state.whole, name).length, 'block') : '']));
    filter();
  }

  function filter() {
    rows = all.filter((row) => row.join('\n').toLowerCase().includes(search.value.toLowerCase()));
    count.textContent = counted(rows.length, view.slice(0, -1));
    empty.textContent = rows.length ? '' : all.length ? `No ${view.slice(0, -1)} matches the filter.` : `The configuration has no ${view}.`;
    list.reset(rows.length);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const [name] = rows[list.at] ?? [];
    if (event.target !== grid) return;
    if (keyOf(event) === 'Enter' && name) location.hash = placeOf(name, view);
    else if (!list.takes(keyOf(event))) return;
    event.preventDefault();
  }

  state.subscribe(['whole'], take, signal);
  take();
}

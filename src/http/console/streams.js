// The list of streams: filter, order, marks, and the place from which many are changed at once.

import { el, fill, keyOf, later } from './dom.js';
import { counted, number } from './figures.js';
import { filterOf } from './filter.js';
import { manyForm } from './many.js';
import { note, placeOf, wordsOf } from './router.js';
import { VirtualRows } from './virtual_rows.js';

/** @typedef {import('./state.js').Row} Row */

/** The time after the last key at which the place is noted, in milliseconds. */
const PAUSE = 300;

/** The columns: members of a row. @type {Exclude<keyof Row, 'json' | 'own'>[]} */
const COLUMNS = ['name', 'kind', 'source', 'authorization', 'prepush', 'archive'];

/** How each kind of authorization is coloured, and what it means. @type {Record<string, [string, string]>} */
const AUTHORIZATION = {
  own: ['accent', 'its own authorization applies'],
  template: ['accent', 'the authorization of its template applies'],
  global: ['good', 'the global authorization applies'],
  open: ['warn', 'open to everybody: auth false'],
  none: ['bad', 'no authorization applies'],
};

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** The marked streams, which stay marked while one looks elsewhere. @type {Set<string>} */
const marked = new Set();

/** @type {import('./router.js').Show} */
export function showStreams(main, state, { query }, signal) {
  const { mayEdit } = state;
  /** @type {Row[]} */
  let ordered = [];
  /** @type {Row[]} */
  let rows = [];
  let sort = query.get('sort') ?? '';

  const search = el('input.filter', { type: 'search', 'aria-label': 'Filter', placeholder: 'Filter: words, prepush=5, urls.url~10.0., title missing',
    value: query.get('filter'), 'aria-describedby': 'filter-fault', oninput: filterSoon, onkeydown: leaveSearch });
  const count = el('span.quiet.count');
  const fault = el('span.fault', { id: 'filter-fault' });
  const many = el('div.many');
  const all = el('input', { type: 'checkbox', 'aria-label': 'Mark all that are listed', onchange: markAll });
  const titles = COLUMNS.map((name) => el('span', { role: 'columnheader', class: name },
    el('button.plain', { onclick: () => sortBy(name) }, name.charAt(0).toUpperCase() + name.slice(1))));
  const body = el('div.rows', { role: 'rowgroup' });
  const grid = el('div', { class: mayEdit ? 'streams marks' : 'streams', role: 'grid', 'aria-label': 'Streams', tabindex: 0, onkeydown: key },
    el('div', { role: 'rowgroup' }, el('div.row.titles', { role: 'row', 'aria-rowindex': 1 },
      mayEdit && el('span', { role: 'columnheader' }, all), titles)),
    body);
  const empty = el('p.empty.quiet');
  fill(main, el('div.streams-page', el('h1.unseen', 'Streams'), el('div.tools', search, count, fault), many, grid, empty));
  const list = new VirtualRows(body, drawn, tellActive);
  const noteLater = later(PAUSE, () => {
    noted();
    state.announce(count.textContent ?? '');
  }, signal);

  /** Takes the rows of the configuration, and forgets the marks of those that are gone. */
  function take() {
    const names = new Set(state.rows.map((row) => row.name));
    for (const name of marked) if (!names.has(name)) marked.delete(name);
    order();
  }

  /** Puts the rows into the order that is asked for. */
  function order() {
    const [column, direction] = [/** @type {keyof Row} */ (sort.replace('-', '')), sort.startsWith('-') ? -1 : 1];
    ordered = state.rows;
    if (sort) ordered = state.rows.toSorted((a, b) => direction * compared(a[column], b[column]));
    for (const title of titles) title.ariaSort = title.className !== column ? 'none' : direction > 0 ? 'ascending' : 'descending';
    filter();
  }

  function filter() {
    const found = filterOf(search.value);
    rows = search.value.trim() ? ordered.filter(found.test) : ordered;
    fault.textContent = found.fault;
    const most = ordered.length;
    count.textContent = rows.length === most ? counted(most, 'stream') : `${number(rows.length)} of ${number(most)}`;
    grid.ariaRowCount = `${rows.length + 1}`;
    empty.textContent = rows.length ? '' : most ? 'No stream matches the filter.' : 'The configuration has no streams.';
    list.reset(rows.length);
    tellActive();
    showMarks();
  }

  function filterSoon() {
    filter();
    body.scrollTop = 0;
    noteLater();
  }

  function noted() {
    note(`#/streams${wordsOf({ filter: search.value.trim(), sort })}`);
  }

  /** @param {number} index */
  function drawn(index) {
    const row = /** @type {Row} */ (rows[index]);
    const { name, authorization } = row;
    const [kind, meaning] = AUTHORIZATION[authorization] ?? [];
    const isMarked = marked.has(name);
    /** @type {Record<string, HTMLElement>} */
    const special = {
      name: el('a', { href: placeOf(name), tabindex: -1 }, name),
      authorization: el('span', { class: `state ${kind}`, title: meaning }, authorization),
    };
    return el('div.row', { role: 'row', id: `row-${index}`, 'aria-rowindex': index + 2, 'aria-selected': mayEdit && `${isMarked}` },
      mayEdit && el('span', { role: 'gridcell' },
        el('input', { type: 'checkbox', tabindex: -1, checked: isMarked, 'aria-label': `Mark ${name}`, onchange: () => toggle(index) })),
      COLUMNS.map((column) => el('span', { role: 'gridcell', class: column, title: row[column] }, special[column] ?? row[column])));
  }

  /** By a column, then the other way round, then as the text has them. @param {string} name */
  function sortBy(name) {
    sort = sort === name ? `-${name}` : sort === `-${name}` ? '' : name;
    order();
    noted();
  }

  function markAll() {
    for (const { name } of rows) {
      if (all.checked) marked.add(name);
      else marked.delete(name);
    }
    filter();
  }

  function tellActive() {
    grid.setAttribute('aria-activedescendant', `row-${list.at}`);
  }

  /** @param {number} index */
  function toggle(index) {
    const { name = '' } = rows[index] ?? {};
    if (!marked.delete(name)) marked.add(name);
    list.reset();
    showMarks();
  }

  function showMarks() {
    const here = rows.filter((row) => marked.has(row.name)).length;
    all.checked = here > 0;
    all.indeterminate = here > 0 && here < rows.length;
    manyForm(many, state, marked, here, () => {
      marked.clear();
      filter();
    });
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const pressed = keyOf(event);
    const row = rows[list.at];
    if (event.target !== grid) return;
    if (pressed === 'Enter' && row) location.hash = placeOf(row.name);
    else if (pressed === ' ' && row && mayEdit) toggle(list.at);
    else if (!list.takes(pressed)) return;
    event.preventDefault();
  }

  /** From the field into the list, or an empty field. @param {KeyboardEvent} event */
  function leaveSearch(event) {
    const pressed = keyOf(event);
    if (pressed === 'ArrowDown' || pressed === 'Enter') grid.focus();
    else if (pressed === 'Escape' && search.value) {
      search.value = '';
      filterSoon();
    } else return;
    event.preventDefault();
  }

  state.subscribe(['rows'], take, signal);
  take();
}

/** Forgets the marks. */
export function unmark() {
  marked.clear();
}

/** @param {string} a @param {string} b */
function compared(a, b) {
  // What has no value comes last.
  return Number(a === '') - Number(b === '') || COLLATOR.compare(a, b);
}

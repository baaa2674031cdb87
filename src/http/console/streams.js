// The list of streams: filter, order, marks, and the place from which many are changed at once.

import { el, fill } from './dom.js';
import { filterOf } from './filter.js';
import { manyForm } from './many.js';
import { hashOf, note } from './router.js';
import { VirtualRows } from './virtual_rows.js';

/** @typedef {import('./state.js').Row} Row */

/** A page so narrow that a row has two lines. */
const NARROW = matchMedia('(max-width: 640px)');

/** The time after the last key at which the place is noted, in milliseconds. */
const PAUSE = 300;

/** The columns: the member of a row, and its title. @type {[Exclude<keyof Row, 'json'>, string][]} */
const COLUMNS = [
  ['name', 'Name'],
  ['kind', 'Kind'],
  ['source', 'Source'],
  ['authorization', 'Authorization'],
  ['prepush', 'Prepush'],
  ['archive', 'Archive'],
];

/** How each kind of authorization is coloured, and what it means. @type {Record<string, [string, string]>} */
const AUTHORIZATION = {
  own: ['accent', 'the stream has its own authorization'],
  global: ['good', 'the global authorization applies'],
  open: ['warn', 'the stream is open to everybody: auth false'],
  none: ['bad', 'neither the stream nor the server has an authorization'],
};

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** The marked streams, which stay marked while one looks elsewhere. @type {Set<string>} */
const marked = new Set();

/** @type {import('./router.js').Show} */
export function show(main, state, { query }) {
  /** @type {Row[]} */
  let ordered = [];
  /** @type {Row[]} */
  let rows = [];
  let sort = query.get('sort') ?? '';
  let active = 0;
  let timer = 0;

  const search = el('input.filter', { type: 'search', 'aria-label': 'Filter', placeholder: 'Filter: words, prepush=5, urls.url~10.0., title missing',
    value: query.get('filter') ?? '', spellcheck: 'false', autocomplete: 'off', 'aria-describedby': 'filter-fault', oninput: filterSoon, onkeydown: leaveSearch });
  const count = el('span.quiet.count');
  const fault = el('span.fault', { id: 'filter-fault' });
  const many = el('div.many');
  const head = el('div.row.titles', { role: 'row', 'aria-rowindex': 1 });
  const body = el('div.rows', { role: 'rowgroup' });
  const grid = el('div', { class: state.mayEdit ? 'streams marks' : 'streams', role: 'grid', 'aria-label': 'Streams', tabindex: 0, onkeydown: key },
    el('div', { role: 'rowgroup' }, head), body);
  const empty = el('p.empty.quiet');
  fill(main, el('div.streams-page',
    el('h1.unseen', 'Streams'),
    el('div.tools', search, count, fault), many, grid, empty));
  const list = new VirtualRows(body, rowHeight(), drawn);

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
    fill(head, state.mayEdit && el('span', { role: 'columnheader' }, markAll()), ...COLUMNS.map(title));
    filter();
  }

  function filter() {
    const found = filterOf(search.value);
    rows = search.value.trim() ? ordered.filter(found.test) : ordered;
    fault.textContent = found.fault;
    active = Math.min(active, Math.max(0, rows.length - 1));
    const all = state.rows.length;
    count.textContent = rows.length === all ? `${number(all)} ${all === 1 ? 'stream' : 'streams'}` : `${number(rows.length)} of ${number(all)}`;
    grid.setAttribute('aria-rowcount', String(rows.length + 1));
    empty.textContent = rows.length ? '' : all ? 'No stream matches the filter.' : 'The configuration has no streams.';
    list.height = rowHeight();
    list.reset(rows.length);
    showActive();
    showMarks();
  }

  function filterSoon() {
    filter();
    body.scrollTop = 0;
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      noted();
      state.announce(count.textContent ?? '');
    }, PAUSE);
  }

  function noted() {
    note(hashOf('streams', { query: { filter: search.value.trim(), sort } }));
  }

  /** @param {number} index */
  function drawn(index) {
    const row = /** @type {Row} */ (rows[index]);
    const [kind, meaning] = AUTHORIZATION[row.authorization] ?? [];
    const mark = state.mayEdit && el('span', { role: 'gridcell' },
      el('input', { type: 'checkbox', tabindex: -1, checked: marked.has(row.name), 'aria-label': `Mark ${row.name}`, onchange: () => toggle(row.name) }));
    const cell = (/** @type {string} */ name, /** @type {import('./dom.js').Child} */ child) => el('span', { role: 'gridcell', class: name, title: typeof child === 'string' ? child : null }, child);
    return el('div.row', { role: 'row', id: `row-${index}`, 'aria-rowindex': index + 2, 'aria-selected': state.mayEdit ? String(marked.has(row.name)) : null,
      'data-active': index === active, onclick: () => activate(index) },
    mark,
    cell('name', el('a', { href: placeOf(row), tabindex: -1 }, row.name)),
    cell('kind', row.kind), cell('source', row.source),
    cell('authorization', el('span', { class: `state ${kind}`, title: meaning }, row.authorization)),
    cell('prepush', row.prepush), cell('archive', row.archive));
  }

  /** @param {[keyof Row, string]} column */
  function title([name, word]) {
    const [direction, next] = sort === name ? ['ascending', `-${name}`] : sort === `-${name}` ? ['descending', ''] : ['none', String(name)];
    const change = () => {
      sort = next;
      order();
      noted();
      /** @type {HTMLElement | null} */ (head.querySelector(`.${name} button`))?.focus();
    };
    return el('span', { role: 'columnheader', class: String(name), 'aria-sort': direction },
      el('button.plain', { onclick: change }, word,
        el('span.arrow', { 'aria-hidden': 'true' }, { ascending: '▲', descending: '▼' }[direction] ?? '')));
  }

  function markAll() {
    return el('input', { type: 'checkbox', 'aria-label': 'Mark all that are listed', onchange: (event) => {
      const isOn = /** @type {HTMLInputElement} */ (event.target).checked;
      for (const { name } of rows) {
        if (isOn) marked.add(name);
        else marked.delete(name);
      }
      filter();
    } });
  }

  /** @param {string} name */
  function toggle(name) {
    if (!marked.delete(name)) marked.add(name);
    list.refresh(rows.findIndex((row) => row.name === name));
    showMarks();
  }

  function showMarks() {
    const all = head.querySelector('input');
    const here = rows.filter((row) => marked.has(row.name)).length;
    if (all) {
      all.checked = here > 0 && here === rows.length;
      all.indeterminate = here > 0 && here < rows.length;
    }
    manyForm(many, state, marked, here, () => {
      marked.clear();
      filter();
    });
  }

  /** @param {number} index */
  function activate(index) {
    active = index;
    showActive();
  }

  function showActive() {
    body.querySelector('[data-active]')?.removeAttribute('data-active');
    const row = list.row(active);
    row?.setAttribute('data-active', '');
    if (row) grid.setAttribute('aria-activedescendant', row.id);
    else grid.removeAttribute('aria-activedescendant');
  }

  /** @param {Event} event */
  function key(event) {
    const { key: name, target, ctrlKey, metaKey, altKey } = /** @type {KeyboardEvent} */ (event);
    if (target !== grid || ctrlKey || metaKey || altKey) return;
    const step = list.step(name);
    const row = rows[active];
    if (step !== undefined) {
      active = Math.max(0, Math.min(rows.length - 1, active + step));
      list.scrollTo(active);
    } else if (name === 'Enter' && row) location.hash = placeOf(row);
    else if (name === ' ' && row && state.mayEdit) toggle(row.name);
    else return;
    showActive();
    event.preventDefault();
  }

  /** From the field into the list, or an empty field. @param {Event} event */
  function leaveSearch(event) {
    const { key: name } = /** @type {KeyboardEvent} */ (event);
    if (name === 'ArrowDown' || name === 'Enter') grid.focus();
    else if (name === 'Escape' && search.value) {
      search.value = '';
      filterSoon();
    } else return;
    event.preventDefault();
  }

  const unsubscribe = state.subscribe((_, changed) => {
    if (changed.has('rows')) take();
  });
  NARROW.addEventListener('change', filter);
  take();
  return () => {
    NARROW.removeEventListener('change', filter);
    clearTimeout(timer);
    unsubscribe();
    list.leave();
  };
}

/** Forgets the marks. */
export function unmark() {
  marked.clear();
}

/** The height of a row as the style has it, in pixels. */
function rowHeight() {
  return parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row'));
}

/** @param {Row} row */
function placeOf(row) {
  return hashOf('streams', { rest: [row.name] });
}

/**
 * @param {string} a
 * @param {string} b
 */
function compared(a, b) {
  // What has no value comes last.
  return Number(a === '') - Number(b === '') || COLLATOR.compare(a, b);
}

/** @param {number} count */
function number(count) {
  return count.toLocaleString('en').replaceAll(',', '\u202f');
}

// The list of streams: the counts of what is on air, the filter, the order, and the marks.

import { VirtualRows, counted, el, fill, keyOf, later, note, number, placeOf, refill, told, wordOf, wordsOf } from './base.js';
import { STATES, airOf, bitrateWords, filterOf, missingWords, rowsOf, stateView, templateOf } from './rows.js';

/** @typedef {import('./rows.js').Row} Row */

/** The time after the last key at which the place is noted, in milliseconds. */
const PAUSE = 300;

/** The columns: members of a row. Those of what is on air are there if it is known. @type {(keyof Row & string)[]} */
const AIR = ['state', 'bitrate', 'viewers'];
const COLUMNS = /** @type {(keyof Row & string)[]} */ (['name', ...AIR, 'kind', 'source', 'authorization', 'prepush', 'archive']);

/** How each kind of authorization is coloured, and what it means. What is normal is quiet. @type {Record<string, [string, string]>} */
const AUTHORIZATION = {
  own: ['', 'its own authorization applies'],
  template: ['', 'the authorization of its template applies'],
  global: ['', 'the global authorization applies'],
  open: ['warn', 'open to everybody: auth false'],
  none: ['bad', 'no authorization applies'],
};

/** The member of the configuration that a column shows. @type {Record<string, string>} */
const MEMBERS = { source: 'urls', authorization: 'auth', prepush: 'prepush', archive: 'dvr' };

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** The marked streams, which stay marked while one looks elsewhere. @type {Set<string>} */
const marked = new Set();

/** Where one was in the list at each of its places, as it was scrolled and with its cursor. @type {Map<string, [number, number]>} */
const places = new Map();

/** @type {import('./base.js').Show} */
export function showStreams(main, state, { query }, signal) {
  const { mayEdit } = state;
  let rows = /** @type {Row[]} */ ([]);
  /** All rows, in the order of the text. @type {Row[]} */
  let known = [];
  let sort = query.get('sort') ?? '';

  const search = el('input.filter', { type: 'search', 'aria-label': 'Filter', placeholder: 'Filter: words, prepush=5, urls.url~10.0., title missing',
    value: query.get('filter'), 'aria-describedby': 'filter-fault', oninput: filterSoon, onkeydown: leaveSearch });
  const count = el('span.quiet.count');
  const states = el('div.states', { role: 'group', 'aria-label': 'On air' });
  const fault = el('span.fault', { id: 'filter-fault' });
  const many = el('div.many');
  const all = el('input', { type: 'checkbox', 'aria-label': 'Mark all that are listed', onchange: markAll });
  const titles = COLUMNS.map((name) => el('span', { role: 'columnheader', class: classOf(name) },
    el('button.plain', { onclick: () => sortBy(name) }, name.charAt(0).toUpperCase() + name.slice(1))));
  const body = el('div.rows', { role: 'rowgroup' });
  const grid = el('div', { class: mayEdit ? 'streams marks' : 'streams', role: 'grid', 'aria-label': 'Streams', tabindex: 0, onkeydown: key },
    el('div', { role: 'rowgroup' }, el('div.row.titles', { role: 'row', 'aria-rowindex': 1 },
      mayEdit && el('span', { role: 'columnheader' }, all), titles)),
    body);
  const empty = el('p.quiet');
  fill(main, el('div.streams-page', el('h1.unseen', 'Streams'), el('div.tools', search, count, blockTools(state, 'streams', signal), states, fault), many, grid, empty));
  const list = new VirtualRows(body, drawn, tellActive);
  const noteLater = later(PAUSE, () => {
    noted();
    state.announce(count.textContent ?? '');
  }, signal);

  /** Takes the rows of the configuration, and forgets the marks of those that are gone. */
  function take() {
    known = rowsOf(state.whole, state.included.entries);
    const names = new Set(known.map((row) => row.name));
    for (const name of marked) if (!names.has(name)) marked.delete(name);
    takeFigures();
    filter();
  }

  /** Puts what is on air into the rows, and counts the states, the worst first. */
  function takeFigures() {
    const { figures } = state;
    const counts = new Map(Object.keys(STATES).map((word) => [word, 0]));
    for (const row of known) {
      const { state: word, bitrate, viewers } = airOf(figures, row.name, row.json);
      Object.assign(row, { state: word, bitrate: wordOf(bitrate), viewers: wordOf(viewers) });
      Object.assign(row.json, word && { state: word }, figures.isKnown && { bitrate, viewers });
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    grid.classList.toggle('air', figures.isKnown);
    const missing = missingWords(figures);
    refill(states, [...counts, missing, state.included.fault], () => [
      Object.keys(STATES).filter((word) => counts.get(word)).map((word) =>
        el('button', { class: `small state ${STATES[word]?.[0]}`, title: STATES[word]?.[1], onclick: () => filterState(word) }, `${number(counts.get(word) ?? 0)} ${word}`)),
      missing && el('span', { class: figures.fault ? 'fault' : 'quiet' }, missing),
      state.included.fault && el('span.fault', `Included files are not listed: ${state.included.fault}`)]);
  }

  /** Lists the streams in a state; a second time all. @param {string} word */
  function filterState(word) {
    const others = search.value.replace(/\bstate=\w+ ?/, '').trim();
    search.value = search.value.includes(`state=${word}`) ? others : `state=${word} ${others}`.trim();
    filterSoon();
  }

  /** Shows new figures. Rows do not move while one points at them. */
  function tick() {
    takeFigures();
    const before = rows;
    choose();
    if (body.matches(':hover')) rows = before;
    if (rows.length !== before.length || rows.some((row, at) => row !== before[at])) return filter();
    list.each((element, index) => {
      const row = /** @type {Row} */ (rows[index]);
      for (const column of AIR) fill(/** @type {Element} */ (element.querySelector(`.${classOf(column)}`)), cell(row, column));
    });
  }

  /** The rows that the filter leaves, in the order that is asked for. */
  function choose() {
    const [column, direction] = [/** @type {keyof Row & string} */ (sort.replace('-', '')), sort.startsWith('-') ? -1 : 1];
    const ordered = sort ? known.toSorted((a, b) => direction * compared(keyFor(a, column), keyFor(b, column))) : known;
    titles.forEach((title, at) => { title.ariaSort = COLUMNS[at] !== column ? 'none' : direction > 0 ? 'ascending' : 'descending'; });
    const found = filterOf(search.value);
    rows = search.value.trim() ? ordered.filter(found.test) : ordered;
    fault.textContent = found.fault;
  }

  function filter() {
    choose();
    const most = known.length;
    count.textContent = rows.length === most ? counted(most, 'stream') : `${number(rows.length)} of ${number(most)}`;
    grid.ariaRowCount = `${rows.length + 1}`;
    empty.textContent = rows.length ? '' : most ? 'No stream matches the filter.' : 'The configuration has no streams.';
    list.reset(rows.length);
    grid.style.setProperty('--bar', `${body.offsetWidth - body.clientWidth}px`);
    tellActive();
    showMarks();
  }

  function filterSoon() {
    filter();
    body.scrollTop = 0;
    noteLater();
  }

  const hashOf = () => `#/streams${wordsOf({ filter: search.value.trim(), sort })}`;

  const noted = () => note(hashOf());

  /** @param {number} index */
  function drawn(index) {
    const row = /** @type {Row} */ (rows[index]);
    const { name, file } = row;
    const isMarked = marked.has(name);
    return el('div', { class: row.json.disabled ? 'row disabled' : 'row', role: 'row', id: `row-${index}`, 'aria-rowindex': index + 2, 'aria-selected': mayEdit && `${isMarked}` },
      mayEdit && el('span', { role: 'gridcell' }, el('input', { type: 'checkbox', tabindex: -1, checked: isMarked, disabled: file !== '',
        title: file && 'It is in an included file, and read only here', 'aria-label': `Mark ${name}`, onchange: () => toggle(index) })),
      COLUMNS.map((column) => el('span', { role: 'gridcell', class: classOf(column), title: row[column] }, cell(row, column))));
  }

  /** By a column, then the other way round, then as the text has them. @param {string} name */
  function sortBy(name) {
    sort = sort === name ? `-${name}` : sort === `-${name}` ? '' : name;
    filter();
    noted();
  }

  function markAll() {
    for (const { name, file } of rows) {
      if (all.checked && !file) marked.add(name);
      else marked.delete(name);
    }
    filter();
  }

  function tellActive() {
    grid.setAttribute('aria-activedescendant', `row-${list.at}`);
  }

  /** @param {number} index */
  function toggle(index) {
    const { name = '', file } = rows[index] ?? {};
    if (!marked.delete(name) && !file) marked.add(name);
    list.reset();
    showMarks();
  }

  function showMarks() {
    const here = rows.filter((row) => marked.has(row.name)).length;
    all.checked = here > 0;
    all.indeterminate = here > 0 && here < rows.length;
    showForm(here);
  }

  /** Shows the form that changes all that are marked, so many of which are listed. @param {number} here */
  async function showForm(here) {
    many.hidden = marked.size === 0;
    if (many.hidden) return fill(many);
    const words = `${marked.size} marked${here < marked.size ? `, ${marked.size - here} of them not listed` : ''}`;
    const { manyForm } = await told(many, import('./bulk.js'));
    if (marked.size) manyForm(many, state, words, { marked: () => known.filter((row) => marked.has(row.name)), all: () => known, filter: () => search.value, unmark: () => {
      marked.clear();
      filter();
    } });
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

  state.subscribe(['whole', 'included'], take, signal);
  state.subscribe(['figures'], tick, signal);
  take();
  const [top = 0, at = 0] = places.get(hashOf()) ?? [];
  [list.at, body.scrollTop] = [at, top];
  signal.addEventListener('abort', () => places.set(hashOf(), [body.scrollTop, list.at]));
}

/**
 * The button that adds a block to a list, and the way back after one was removed.
 * @param {import('./server.js').State} state @param {string} view @param {AbortSignal} signal
 */
export function blockTools(state, view, signal) {
  const blocks = () => import('./blocks.js');
  const gone = el('span.gone', { role: 'status' });
  const draw = async () => fill(gone, state.removed && (await blocks()).undoView(state));
  state.subscribe(['removed', 'config'], draw, signal);
  draw();
  return [state.mayEdit && el('button', { onclick: async () => (await blocks()).askName(state, view, 'Add') }, 'Add'), gone];
}

/** The class of the cells of a column. @param {string} column */
const classOf = (column) => (column === 'state' ? 'on-air' : column);

/** What a column has of a row. @param {Row} row @param {keyof Row & string} column @returns {import('./base.js').Child} */
function cell(row, column) {
  const { name, file, authorization, bitrate, from } = row;
  if (column === 'name') return [el('a', { href: placeOf(name), tabindex: -1 }, name), file && el('span.state', { title: file }, /** @type {string} */ (file.split('/').at(-1)))];
  if (column === 'state') return stateView(row.state);
  if (column === 'bitrate') return bitrateWords(bitrate === '' ? undefined : Number(bitrate));
  const [kind, meaning] = (column === 'authorization' && AUTHORIZATION[authorization]) || [];
  const origin = from[MEMBERS[column] ?? ''] ?? '';
  const template = templateOf(origin);
  const shown = `${row[column]}`;
  if (template !== undefined && shown) return el('a.inherited', { href: placeOf(template, 'templates'), tabindex: -1, title: `${shown}: of the template ${template}` }, shown);
  return kind ? el('span', { class: `state ${kind}`, title: meaning }, shown) : shown;
}

/** What a column is ordered by. @param {Row} row @param {keyof Row & string} column */
const keyFor = (row, column) => column === 'state' ? `${Object.keys(STATES).indexOf(row.state)}` : `${row[column]}`;

/** Forgets the marks and the places. */
export function unmark() {
  marked.clear();
  places.clear();
}

/** The order of two values; what has none comes last. @param {string} a @param {string} b */
const compared = (a, b) => Number(a === '') - Number(b === '') || COLLATOR.compare(a, b);

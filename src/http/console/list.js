// The list of streams: its rows, the filter, the order, and the marks.

import { UNITS, VirtualRows, counted, el, fill, keyOf, later, note, number, partsOf, placeOf, told, unquoted, wordOf, wordsOf } from './base.js';

/**
 * A row of the list: what it shows as words, `own` as the API has it (secrets masked), `json` with the values of its template,
 * and `text`, the words that the filter looks in, in lower case.
 * @typedef {{name: string, kind: string, source: string, authorization: 'own' | 'template' | 'global' | 'open' | 'none',
 *   prepush: string, archive: string, json: any, own: any, text: string}} Row
 */

/** The rows of a configuration. @param {any} config @returns {Row[]} */
export const rowsOf = (config) => Object.entries(config?.streams ?? {}).map(([name, stream]) => rowOf(name, stream, config));

/** The values that hold: those of the template that a stream names, where it has none of its own. @param {any} own @param {any} config */
function effective(own, config) {
  const template = config.template?.[own.template];
  if (typeof template !== 'object' || template === null) return own;
  return { ...template, ...own, auth: own.auth?.url === undefined ? { ...own.auth, ...template.auth } : own.auth };
}

/** @param {string} name @param {any} own @param {any} config @returns {Row} */
function rowOf(name, own, config) {
  const json = effective(own, config);
  const urls = Array.isArray(json.urls) ? json.urls : [];
  const first = urls[0]?.url ?? '';
  const shown = {
    name,
    kind: `${json.static ? 'static' : 'on demand'}${json.disabled ? ', disabled' : ''}`,
    source: urls.length > 1 ? `${first} +${urls.length - 1}` : String(first),
    authorization: whoseOf(json.auth, json.auth?.url === own.auth?.url ? 'own' : 'template'),
    prepush: wordOf(json.prepush),
    archive: archive(json.dvr),
  };
  const sources = urls.map((/** @type {any} */ entry) => entry?.url);
  const words = [name, shown.kind, ...sources, `auth ${shown.authorization}`, shown.archive, json.title, json.comment];
  return { ...shown, json, own, text: words.join('\n').toLowerCase() };
}

/**
 * Whose authorization holds for a stream: its own, that of its template, the global one, none because it is open, or none at all.
 * @param {any} auth
 * @param {'own' | 'template'} named whose it is
 * @returns {'own' | 'template' | 'global' | 'open' | 'none'}
 */
function whoseOf(auth, named) {
  if (auth?.url === false) return 'open';
  if (auth?.url) return named;
  return auth?.url_global ? 'global' : 'none';
}

/** The place and the limits of an archive, as the text has them. @param {any} dvr */
function archive(dvr) {
  if (!dvr || typeof dvr !== 'object') return wordOf(dvr);
  const place = dvr.reference ? `@${dvr.reference}` : dvr.root;
  const disk = dvr.disk_limit === undefined ? '' : `${dvr.disk_limit}%`;
  return [place, disk, time(dvr.dvr_limit)].filter(Boolean).join(' ');
}

/** Seconds in the largest unit that divides them. @param {unknown} seconds */
function time(seconds) {
  if (typeof seconds !== 'number') return wordOf(seconds);
  const [unit, length] = Object.entries(UNITS).find(([, each]) => seconds && seconds % each === 0) ?? ['s', 1];
  return `${seconds / length}${unit}`;
}

/** @typedef {import('./base.js').Segment | import('./base.js').Several} Part */

/** @typedef {(entry: any) => boolean} Condition */

const QUOTED = String.raw`"(?:\\.|[^"\\])*"`;

const PATH = String.raw`(?:${QUOTED}|\[[^\]]*\]|[^"[\]=!~\s:/?])+`;

/** A word, also one that is not written to its end. */
const WORD = String.raw`(?:${QUOTED}?|\[[^\]]*\]?|[^\s"[])+`;

/** The path, the operator outside quotes and brackets, and the value. */
const CONDITION = new RegExp(String.raw`^(${PATH})(?:\s*(=~|!=|=|~)\s*(.*)|\s+(exists|missing))$`, 's');

/** A condition, whose value is one word, or a word. */
const TERM = new RegExp(String.raw`${PATH}(?:\s*(?:=~|!=|=|~)\s*(?:${WORD})?|\s+(?:exists|missing)(?!\S))|${WORD}`, 'gs');

/**
 * What a text in the field of the filter means: the test of a row, and what is wrong with the text.
 * @param {string} text
 * @returns {{test: (row: Row) => boolean, fault: string}}
 */
export function filterOf(text) {
  /** @type {Condition[]} */
  const conditions = [];
  /** @type {string[]} */
  const words = [];
  let fault = '';
  for (const term of text.match(TERM) ?? []) {
    const found = conditionOf(term);
    if (typeof found === 'function') conditions.push(found);
    else if (found) fault = found;
    else words.push(unquoted(term).toLowerCase());
  }
  /** @param {Row} row */
  const test = (row) => words.every((word) => row.text.includes(word)) && conditions.every((holds) => holds(row.json));
  return { test, fault };
}

/** The condition that a text is, what is wrong with it, or `null` for a word. @param {string} text @returns {Condition | string | null} */
export function conditionOf(text) {
  const [, written = '', sign, wanted = '', word] = CONDITION.exec(text.trim()) ?? [];
  const path = partsOf(written);
  if (!path?.length) return null;
  if (sign === '=~') return '`=~` works only on the command line; `~` finds plain text';
  if (sign === '~' && !wanted) return 'there is no text behind `~`';
  const test = word ? testOf(word === 'exists' ? '!=' : '=', 'null') : testOf(sign, wanted);
  return (entry) => any(ownOf(entry, path), path, test);
}

/**
 * True if any value at a path meets a test; names behind a list go through the list.
 * @param {any} value
 * @param {Part[]} path
 * @param {(value: any) => boolean} test
 * @returns {boolean}
 */
function any(value, path, test) {
  const [first, ...rest] = path;
  const { glob, key, value: wanted } = /** @type {import('./base.js').Several} */ (Object(first));
  const isEach = typeof first === 'object' && !glob;
  if (Array.isArray(value)) {
    if (typeof first === 'number') return any(value.at(first), rest, test);
    const found = key ? value.filter((entry) => String(entry?.[key]) === wanted) : value;
    return value.length ? found.some((entry) => any(entry, isEach ? rest : path, test)) : test(undefined);
  }
  if (first === undefined) return test(value);
  const isObject = typeof value === 'object' && value !== null && !isEach;
  const names = glob && isObject ? Object.keys(value).filter((name) => glob.test(name)) : [];
  if (typeof first === 'string' && isObject) names.push(first);
  return names.length ? names.some((name) => any(value[name], rest, test)) : test(undefined);
}

/** The entry without the global backend, which is not its own, unless the path asks for that. @param {any} entry @param {Part[]} path */
function ownOf(entry, path) {
  if (path[0] !== 'auth' || path[1] === 'url_global' || !entry?.auth) return entry;
  const { url_global: _, ...auth } = entry.auth;
  return { auth: Object.keys(auth).length ? auth : undefined };
}

/** @param {string | undefined} operator @param {string} wanted @returns {(value: any) => boolean} */
function testOf(operator, wanted) {
  const isThere = (/** @type {any} */ value) => value !== undefined && value !== null;
  if (operator === '~') {
    const texts = [wanted, unquoted(wanted) || wanted];
    return (value) => isThere(value) && typeof value !== 'object' && texts.some((text) => String(value).includes(text));
  }
  const equals = (/** @type {any} */ value) => (wanted === 'null' ? !isThere(value) : isThere(value) && isMeant(value, wanted));
  return operator === '=' ? equals : (value) => !equals(value);
}

/** True if a text stands for a value, as `--set` would read it or to the letter. @param {any} value @param {string} text */
function isMeant(value, text) {
  if (typeof value === 'string') return value === text || value === unquoted(text);
  if (typeof value === 'object') return false;
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return String(value) === text || (value === false && text === 'off') || (count !== undefined && value === Number(count) * (UNITS[unit] ?? 0));
}

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

/** @type {import('./base.js').Show} */
export function showStreams(main, state, { query }, signal) {
  const { mayEdit } = state;
  /** @type {Row[]} */
  let ordered = [];
  /** @type {Row[]} */
  let rows = [];
  /** All rows, in the order of the text. @type {Row[]} */
  let known = [];
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
  fill(main, el('div.streams-page', el('h1.unseen', 'Streams'), el('div.tools', search, count, blockTools(state, 'streams', signal), fault), many, grid, empty));
  const list = new VirtualRows(body, drawn, tellActive);
  const noteLater = later(PAUSE, () => {
    noted();
    state.announce(count.textContent ?? '');
  }, signal);

  /** Takes the rows of the configuration, and forgets the marks of those that are gone. */
  function take() {
    known = rowsOf(state.config);
    const names = new Set(known.map((row) => row.name));
    for (const name of marked) if (!names.has(name)) marked.delete(name);
    order();
  }

  /** Puts the rows into the order that is asked for. */
  function order() {
    const [column, direction] = [/** @type {keyof Row} */ (sort.replace('-', '')), sort.startsWith('-') ? -1 : 1];
    ordered = known;
    if (sort) ordered = known.toSorted((a, b) => direction * compared(a[column], b[column]));
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
    showForm(here);
  }

  /** Shows the form that changes all that are marked, so many of which are listed. @param {number} here */
  async function showForm(here) {
    many.hidden = marked.size === 0;
    if (many.hidden) return fill(many);
    const words = `${marked.size} marked${here < marked.size ? `, ${marked.size - here} of them not listed` : ''}`;
    const { manyForm } = await told(many, import('./bulk.js'));
    if (marked.size) manyForm(many, state, () => known.filter((row) => marked.has(row.name)), words, () => {
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

  state.subscribe(['config'], take, signal);
  take();
}

/**
 * The button that adds a block to a list, and the way back after one was removed.
 * @param {import('./server.js').State} state
 * @param {string} view
 * @param {AbortSignal} signal
 */
export function blockTools(state, view, signal) {
  const blocks = () => import('./blocks.js');
  const gone = el('span.gone', { role: 'status' });
  const draw = async () => fill(gone, state.removed && (await blocks()).undoView(state));
  state.subscribe(['removed', 'config'], draw, signal);
  draw();
  return [state.mayEdit && el('button', { onclick: async () => (await blocks()).askName(state, view, 'Add') }, 'Add'), gone];
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

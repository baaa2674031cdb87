// The whole text: `#/text`, and of an earlier configuration `#/text@REVISION/L220`. Only lines that can be seen are
// drawn; the entry at the cursor is beside it, where it can be edited.

import { KEYS, VirtualRows, el, fill, keyOf, later, note, pathOf, placeOf, told } from './base.js';
import { GROUPS, entries, lineView, startOf, vocabularyOf } from './editor.js';
import { showEntry } from './entry.js';
import { Problem } from './server.js';
import { faultItem, placeView, problemView, showWhenRead } from './views.js';

/**
 * @typedef {import('./server.js').State} State
 * @typedef {{ body: string, revision: string, before?: number }} Read a text, and the change that it was before
 */

/** The time that the cursor rests on a line before its entry is read, in milliseconds. */
const REST = 120;

/** @type {import('./base.js').Show} */
export function showText(main, state, { revision: wanted, rest: [place = ''] }, signal) {
  let read = /** @type {Read} */ ({ body: '', revision: '' });
  let lines = /** @type {string[]} */ ([]);
  /** The entries of the text, once they are looked for. @type {import('./editor.js').Entry[] | undefined} */
  let all;
  /** The path of the entry beside the text. */
  let shown = '';
  let entry = new AbortController();
  /** Puts the cursor into the entry beside the text. @param {number} _line */
  let enterEntry = (_line) => {};

  const hash = (/** @type {number} */ index) => `#/text@${read.revision}/L${index + 1}`;
  const notice = el('div');
  const box = el('div.text-lines', { tabindex: 0, role: 'region', 'aria-label': 'Text of the configuration', onkeydown: key });
  /** Of several entries in one line, which one is beside the text. */
  const choices = el('div');
  const side = el('div', el('p.quiet', 'Choose a line to see its entry.'));
  const entryLater = later(REST, besides, signal);
  const rows = new VirtualRows(box, row, () => {
    // A click on the number of a line goes to this place, too, and finds it taken.
    note(hash(rows.at));
    entryLater();
  });
  rows.at = -1;
  const search = searchView(rows, () => lines);
  const line = el('input', { type: 'number', min: 1, 'aria-label': 'Go to line', placeholder: 'Line' });
  const goTo = (/** @type {number} */ number) => { if (number > 0) rows.goTo(number - 1, true); };
  const faults = el('div.text-faults');
  fill(main,
    el('div.page-head', el('h1', 'Text'), el('div.text-tools', search.element,
      el('form.go', { onsubmit: () => goTo(line.valueAsNumber) }, line, el('button', 'Go')),
      el('button', { onclick: () => checkView(faults, state, read.body, goTo) }, 'Check'), faults)),
    notice, el('div.text-page', box, el('aside.text-side', { 'aria-label': 'Entry at the cursor' }, choices, side)));

  /** @param {Read} now */
  function take(now) {
    [read, all] = [now, undefined];
    lines = now.body.split('\n');
    fill(faults);
    fill(notice, now.before && el('p.warning', `This is the text before change ${now.before}. `,
      el('a', { href: '#/text' }, 'Show what runs now')));
    rows.reset(lines.length);
    search.look();
  }

  async function follow() {
    const now = await readText(state, read.before ? read.revision : '').catch(() => read);
    if (now.body !== read.body) take(now);
  }

  /** @param {number} index */
  function row(index) {
    const text = lines[index] ?? '';
    return el('div.text-row', { 'data-line': index },
      el('a.number', { href: hash(index), tabindex: -1, 'aria-label': `Line ${index + 1}` }, index + 1),
      el('code', lineView(text, search.marks(text))));
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const pressed = keyOf(event);
    if (pressed === 'Enter') enterEntry(rows.at + 1);
    else if (!rows.takes(pressed)) return;
    event.preventDefault();
  }

  /** Shows the entry at the cursor beside the text; that of an earlier text can't be edited. */
  async function besides() {
    // An entry with an edit stays there.
    if (state.draft || rows.at < 0) return;
    const start = startOf(lines, rows.at);
    const end = start + (lines[rows.at]?.length ?? 0);
    all ??= entries(read.body);
    const found = all.filter((each) => each.start <= end && start < each.end);
    const choice = el('select', { 'aria-label': 'Entry of this line', onchange: () => show(found[choice.selectedIndex]) },
      found.map(({ keyword, words }) => el('option', [keyword, ...words].join(' '))));
    fill(choices, found.length > 1 && choice);
    show(found[0]);
  }

  /** @param {import('./editor.js').Entry | undefined} found */
  async function show(found) {
    const segments = found && all ? await segmentsOf(state, found, all) : [];
    const path = pathOf(segments);
    if (path === shown && path) return;
    shown = path;
    entry.abort();
    entry = new AbortController();
    if (!path) return fill(side, el('p.quiet', 'This line has no entry.'));
    const around = el('div.entry-page');
    const [group, name] = segments;
    const view = Object.keys(KEYS).find((each) => KEYS[each] === group);
    fill(side, el('h2', view ? el('a', { href: placeOf(`${name}`, view) }, name) : segments.join(' ')),
      read.before && el('p.quiet', 'The entry as it runs now:'), around);
    enterEntry = showEntry(around, state, segments, AbortSignal.any([signal, entry.signal]));
  }

  state.subscribe(['config'], follow, signal);
  state.subscribe(['draft'], entryLater, signal);
  told(notice, readText(state, wanted)).then((now) => {
    take(now);
    goTo(Number(place.replace('L', '')));
  }).catch((error) => fill(notice, problemView(error)));
}

/**
 * The path of an entry; of a directive that stands there several times, with its place among them.
 * @param {State} state @param {import('./editor.js').Entry} entry @param {import('./editor.js').Entry[]} all
 * @returns {Promise<import('./base.js').Segment[]>}
 */
async function segmentsOf(state, entry, all) {
  const { keyword, words: [name], isBlock } = entry;
  const group = GROUPS[keyword] ?? (isBlock && keyword);
  if (group && name !== undefined) return [group, name];
  const vocabulary = await vocabularyOf(state).catch(() => undefined);
  const alike = all.filter((each) => each.keyword === keyword);
  return [vocabulary?.find([], keyword)?.name ?? keyword, alike.indexOf(entry)].slice(0, alike.length);
}

/** @param {State} state @param {string} wanted its revision; empty for what runs @returns {Promise<Read>} */
async function readText({ api }, wanted) {
  const { body, revision } = await api.getKept('read_config', { format: 'conf', secrets: 'masked' });
  if (!wanted || wanted === revision) return { body, revision };
  const { body: changes } = await api.get('history');
  const change = changes.find((/** @type {{ before: string }} */ { before }) => before === wanted);
  if (!change) throw new Problem(404, 'not-kept', 'This text is not kept any more');
  const kept = await api.get(`history/${change.number}`, { secrets: 'masked' });
  return { body: kept.body, revision: wanted, before: change.number };
}

/**
 * The search of a text: its element, what looks again, and where the words are in a line.
 * @param {import('./base.js').VirtualRows} rows @param {() => string[]} lines
 */
function searchView(rows, lines) {
  let word = '';
  /** The lines with the words. @type {number[]} */
  let found = [];
  const search = el('input', { type: 'search', id: 'search', placeholder: 'Search the text', 'aria-label': 'Search the text',
    oninput: looked, onkeydown: key });
  const count = el('span.quiet', { role: 'status' });

  /** Looks for what is typed, and goes to the next line that has it. */
  function looked() {
    const { at } = rows;
    look();
    rows.reset();
    go(found.find((line) => line >= at) ?? found[0]);
  }

  function look() {
    word = search.value.toLowerCase();
    found = word ? lines().flatMap((line, at) => (line.toLowerCase().includes(word) ? at : [])) : [];
    go(undefined);
  }

  /** @param {number | undefined} line */
  function go(line) {
    if (line !== undefined) rows.goTo(line, true);
    count.textContent = word && `${found.indexOf(rows.at) + 1 || '–'} of ${found.length}`;
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const pressed = keyOf(event);
    if (pressed === 'Escape') {
      search.value = '';
      looked();
    }
    if (pressed !== 'Enter') return;
    event.preventDefault();
    const { at } = rows;
    go(event.shiftKey ? found.findLast((line) => line < at) ?? found.at(-1) : found.find((line) => line > at) ?? found[0]);
  }

  /** Where the words of the search are in a line. @param {string} line @returns {[number, number, string][]} */
  function marks(line) {
    const text = word ? line.toLowerCase().split(word) : [];
    let at = -word.length;
    return text.slice(0, -1).map(({ length }) => {
      at += length + word.length;
      return [at, at + word.length, 'search'];
    });
  }

  return { element: el('div.search', search, count), look, marks };
}

/**
 * Shows the faults that the server finds in a text.
 * @param {HTMLElement} box @param {import('./server.js').State} state @param {string} text @param {(line: number) => void} goTo
 */
function checkView(box, { api }, text, goTo) {
  return showWhenRead(box, async () => {
    const { errors, warnings, faults } = (await api.post('check_config', {}, text)).body;
    if (!faults.length) return el('p', { role: 'status' }, 'No faults.');
    return el('div', { role: 'status' }, el('p', `Errors: ${errors}, warnings: ${warnings}`),
      el('ul.faults', faults.map((/** @type {any} */ fault) => faultItem(fault, placeView(fault, goTo)))));
  });
}

// The text of one entry, with the line numbers of the file: coloured, faults while typing, documentation of the word at
// the cursor. Keys work on this text alone, so it may be part of a file of any length.

import { MASK, el, fill, keyOf, later, pathOf, plain, unquoted } from './base.js';
import { faultItem } from './views.js';

/**
 * @typedef {'keyword' | 'word' | 'quoted' | 'mask' | 'comment' | 'end' | 'open' | 'close'} Kind
 * @typedef {{ kind: Kind, start: number, end: number }} Token
 */

/** What white space separates, or nothing. */
const TOKEN = /#[^\n]*|[;{}]|(?:"(?:\\[^]|[^"\\])*"?|[^ \t\r\n;{}"])+/g;

const SIGNS = /** @type {Map<string, Kind>} */ (new Map([[';', 'end'], ['{', 'open'], ['}', 'close']]));

const CUT = new RegExp(`(${MASK.source})`);

/** The tokens of a text, without white space. @param {string} text @returns {Token[]} */
export function tokens(text) {
  const found = [];
  let isFirst = true;
  for (const { 0: word, index: start } of text.matchAll(TOKEN)) {
    const kind = kindOf(word, isFirst);
    if (kind !== 'comment') isFirst = SIGNS.has(word);
    found.push({ kind, start, end: start + word.length });
  }
  return found;
}

/** @param {string} word @param {boolean} isFirst @returns {Kind} */
function kindOf(word, isFirst) {
  if (word.startsWith('#')) return 'comment';
  const sign = SIGNS.get(word);
  if (sign) return sign;
  if (isFirst) return 'keyword';
  if (MASK.test(word)) return 'mask';
  return word.startsWith('"') ? 'quoted' : 'word';
}

/**
 * `words` are those behind the keyword, and `end` is behind its `;` or `}`.
 * @typedef {{ keyword: string, words: string[], start: number, end: number, isBlock: boolean }} Entry
 */

/** The entries at the top of a text, in order; what is not ended is left out. @param {string} text @returns {Entry[]} */
export function entries(text) {
  const found = /** @type {Entry[]} */ ([]);
  /** @type {Entry | undefined} */
  let open;
  let depth = 0;
  for (const { kind, start, end } of tokens(text)) {
    if (kind === 'comment') continue;
    const word = text.slice(start, end);
    if (kind === 'open') depth += 1;
    if (kind === 'close') depth = Math.max(0, depth - 1);
    if (depth === 0 && (kind === 'end' || kind === 'close')) {
      if (open) found.push({ ...open, end, isBlock: kind === 'close' });
      open = undefined;
    } else if (!open && kind === 'keyword') {
      open = { keyword: unquoted(word), words: [], start, end, isBlock: false };
    } else if (open && depth === 0 && kind !== 'open') {
      open.words.push(unquoted(word));
    }
  }
  return found;
}

/** The named blocks of an included file by their paths, with their lines. @param {{ name: string, text: string }} file @returns {[string, import('./server.js').IncludedEntry][]} */
export function entriesOf({ name: file, text }) {
  return entries(text).filter(({ words }) => words.length).map(({ keyword, words: [name = ''], start, end }) =>
    [pathOf([GROUPS[keyword] ?? keyword, name]), { file, line: text.slice(0, start).split('\n').length, text: text.slice(start, end) }]);
}

/**
 * What stands at an offset: the keywords of the blocks around it, the outermost one first, that of the entry, and the word.
 * @typedef {{ blocks: string[], keyword: string, word: string }} Place
 */

/** What stands at an offset. @param {string} text @param {number} offset @returns {Place} */
export function placeAt(text, offset) {
  const blocks = /** @type {string[]} */ ([]);
  let [keyword, word] = ['', ''];
  for (const { kind, start, end } of tokens(text)) {
    if (start > offset) break;
    if (kind === 'comment') continue;
    const isAt = offset <= end;
    if (kind === 'open') blocks.push(keyword);
    if (kind === 'close') blocks.pop();
    if (kind === 'end' || kind === 'open' || kind === 'close') {
      if (isAt && offset < end) break;
      keyword = '';
      continue;
    }
    if (kind === 'keyword') keyword = text.slice(start, end);
    if (isAt) word = text.slice(start, end);
  }
  return { blocks, keyword, word };
}

/** The offset at which a line begins. @param {readonly string[]} lines @param {number} index of the line */
export const startOf = (lines, index) => lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0);

/**
 * A line as spans: its words with their kinds, and white space without one. They make up the whole line.
 * @param {string} line @returns {[string, Kind | ''][]}
 */
export function spans(line) {
  const found = /** @type {[string, Kind | ''][]} */ ([]);
  /** @returns {[string, Kind]} */
  const maskOrWord = (/** @type {string} */ part) => [part, MASK.test(part) ? 'mask' : 'word'];
  let at = 0;
  for (const { kind, start, end } of tokens(line)) {
    if (start > at) found.push([line.slice(at, start), '']);
    const word = line.slice(start, end);
    if (kind === 'mask') found.push(...word.split(CUT).filter(Boolean).map(maskOrWord));
    else found.push([word, kind]);
    at = end;
  }
  if (at < line.length) found.push([line.slice(at), '']);
  return found;
}

/**
 * A directive or a value: `name` of the member in JSON, `form` is how it is written, `usual` the value without it, and `input`
 * the type of a plain value, `undefined` for any other.
 * @typedef {{ name: string, keyword: string, description: string, form: string, unit: string, usual: string, example: string,
 *   isSecret: boolean, input: 'string' | 'integer' | 'boolean' | undefined }} Meaning
 */

/**
 * The meaning of a keyword in blocks, and those of a block.
 * @typedef {{ find: (blocks: readonly string[], keyword: string) => Meaning | undefined, fields: (block: string) => Meaning[] }} Vocabulary
 */

/** The schema of the block with each keyword. @type {Record<string, string>} */
const SCHEMAS = { '': 'Configuration', live: 'Live', plugin: 'Plugin', stream: 'Stream', ondemand: 'Stream', template: 'Stream', source: 'Stream', file: 'Stream', vod: 'Stream' };

/** The groups of entries by the keyword of their blocks. @type {Record<string, string>} */
export const GROUPS = { stream: 'streams', ondemand: 'streams', live: 'lives', plugin: 'plugins' };

/** What the directives mean; it is read once. @param {import('./server.js').State} state @returns {Promise<Vocabulary>} */
export async function vocabularyOf({ api }) {
  const { body } = await api.getKept('openapi.json');
  const meanings = (/** @type {string} */ block) =>
    Object.entries(body.components.schemas[SCHEMAS[block] ?? '']?.properties ?? {}).flatMap(meaningOf);
  return {
    find: (blocks, keyword) => meanings(blocks.at(-1) ?? '').find((each) => each.keyword === keyword),
    fields: (block) => (SCHEMAS[block] ? meanings(block) : []),
  };
}

/** @param {[string, any]} property @returns {Meaning | []} */
function meaningOf([name, { 'x-mediactl': told, description, readOnly, type, anyOf = [] }]) {
  if (readOnly || !told?.keyword) return [];
  const { keyword, text = '', unit = '', default: usual = '', example = '', secret: isSecret } = told;
  const types = [type, ...anyOf.map((/** @type {any} */ form) => form.type)].flat();
  const input = /** @type {const} */ (['string', 'integer', 'boolean']).find((each) => types.includes(each));
  return { name, keyword, description, form: unmarked(text), unit, usual: unmarked(usual), example, isSecret, input };
}

const unmarked = (/** @type {string} */ text) => text.replaceAll('`', '');

/**
 * @typedef {import('./server.js').State} State
 * @typedef {{ severity: string, message: string, hint?: string, line: number, column: number,
 *   end: { line: number, column: number }, fix?: { range: { start: Point, end: Point }, text: string } }} Found
 * @typedef {{ line: number, column: number }} Point
 * @typedef {{ path: string, text: string, line: number, isReadOnly: boolean, around?: [string, string],
 *   found?: Found[], told?: (faults: Found[]) => void }} Shown without a path it is a file, or lines of it with those around; `found`
 *   are faults that are told elsewhere, and `told` is called with all that the server finds
 */

/** The time after the last key at which the server is asked for faults, in milliseconds. */
const PAUSE = 250;

export class EntryEditor {
  /** What the server found. @type {Found[]} */
  #found = [];
  #askLater = later(PAUSE, () => this.#ask());
  #keepLater = later(0, () => this.typed(this.area.value));

  /**
   * @param {State} state @param {Promise<Vocabulary>} vocabulary @param {Shown} shown
   * @param {(text: string) => void} typed is called with each new text
   */
  constructor(state, vocabulary, shown, typed) {
    this.typed = typed;
    this.state = state;
    this.shown = shown;
    const help = () => this.#showHelp();
    this.numbers = el('div.numbers', { 'aria-hidden': 'true' });
    this.colours = el('pre.colours', { 'aria-hidden': 'true' });
    this.area = el('textarea.area', { autocapitalize: 'off', autocomplete: 'off', wrap: 'off',
      readonly: shown.isReadOnly, 'aria-label': `Text of ${shown.path || 'the file'}`, 'aria-describedby': 'faults',
      oninput: () => this.#typed(), onkeydown: (event) => this.#key(event), onkeyup: help, onclick: help, onfocus: help });
    this.area.value = shown.text;
    this.faults = el('ul.faults', { id: 'faults', 'aria-label': 'Faults' });
    this.help = el('div.help');
    this.element = el('div.entry',
      el('div.entry-text', this.numbers, el('div.layers', this.colours, this.area)), this.faults, this.help);
    vocabulary.then((known) => { this.vocabulary = known; help(); }, () => {});
    this.#found = this.#here(shown.found ?? []);
    this.#paint();
    if (!shown.found) this.#askLater();
  }

  /** Puts the cursor on a line of the file. @param {number} line */
  goTo(line) {
    const start = { line: Math.max(1, line - this.shown.line + 1), column: 1 };
    this.#select(start, start);
    this.#showHelp();
  }

  /** Shows another text; as one that is typed, unless it only can be read. @param {string} text */
  set(text) {
    if (this.area.value === text) return;
    this.area.value = text;
    this.#changed();
  }

  #typed() {
    this.#changed();
    this.#showHelp();
  }

  #changed() {
    this.#paint();
    this.#showFaults();
    if (!this.area.readOnly) this.#keepLater();
    this.#askLater();
  }

  /** Enter keeps the indentation of the line. @param {KeyboardEvent} event */
  #key(event) {
    if (keyOf(event) !== 'Enter' || this.area.readOnly) return;
    const { value, selectionStart } = this.area;
    const line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart);
    const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
    if (!indent && !line.endsWith('{')) return;
    event.preventDefault();
    type(`\n${indent}${line.trimEnd().endsWith('{') ? '  ' : ''}`);
  }

  async #ask() {
    if (!this.state.mayEdit) return;
    const { value } = this.area;
    const { path, around: [before, after] = ['', ''] } = this.shown;
    const found = await this.state.api.post('check_config', { path, columns: 'utf16' }, before + value + after).catch(() => undefined);
    if (!found || value !== this.area.value) return;
    this.#found = this.#here(found.body.faults.filter((/** @type {Found} */ fault) => fault.line));
    this.#paint();
    this.#showFaults();
    this.shown.told?.(found.body.faults);
  }

  /** The faults of lines of a file as those of this text. @param {Found[]} found */
  #here(found) {
    const skipped = this.shown.around ? this.shown.line - 1 : 0;
    const here = (/** @type {Point} */ { line, column }) => ({ line: line - skipped, column });
    const last = skipped + this.area.value.split('\n').length;
    return found.filter(({ line }) => line > skipped && line <= last).map(({ fix, ...fault }) => ({ ...fault, ...here(fault), end: here(fault.end),
      fix: fix && { ...fix, range: { start: here(fix.range.start), end: here(fix.range.end) } } }));
  }

  /** The line of the file with the cursor. */
  get cursorLine() {
    return this.area.value.slice(0, this.area.selectionStart).split('\n').length + this.shown.line - 1;
  }

  #showFaults() {
    fill(this.faults, this.#faults.map((fault) => this.#faultView(fault)));
  }

  /** The faults: first what is told at once, a second entry behind the first. */
  get #faults() {
    const { value } = this.area;
    const end = this.shown.path && entries(value)[0]?.end;
    const second = end && tokens(value).find(({ kind, start }) => start >= end && kind !== 'comment');
    if (!second) return this.#found;
    const before = value.slice(0, second.start).split('\n');
    const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1];
    const message = 'another entry begins here, and this text is one entry';
    return [{ severity: 'error', message, hint: 'a new stream has a button of its own: *Add* above the list', line, column,
      end: { line, column: column + second.end - second.start } }, ...this.#found];
  }

  /** @param {Found} fault */
  #faultView(fault) {
    const { line, column, end, fix } = fault;
    return faultItem(fault,
      el('button.link', { onclick: () => this.#select(fault, end) }, `Line ${line + this.shown.line - 1}, column ${column}`),
      fix && !this.area.readOnly && el('button.small', { onclick: () => this.#mend(fix) }, 'Fix'));
  }

  /** @param {NonNullable<Found['fix']>} fix */
  #mend({ range, text }) {
    this.#select(range.start, range.end);
    type(text);
  }

  /** @param {Point} from @param {Point} to */
  #select(from, to) {
    const lines = this.area.value.split('\n');
    const offset = (/** @type {Point} */ { line, column }) => startOf(lines, line - 1) + column - 1;
    this.area.focus({ preventScroll: from === to });
    this.area.setSelectionRange(offset(from), offset(to));
  }

  #paint() {
    const { numbers, colours, shown, area } = this;
    const lines = area.value.split('\n');
    if (area.rows !== lines.length) numbers.textContent = lines.map((_, at) => at + shown.line).join('\n');
    area.rows = lines.length;
    const faults = this.#faults;
    // Only lines that differ are made again, so that a key costs one line.
    lines.forEach((text, at) => {
      const marks = marksOf(faults, at + 1, text.length);
      const key = JSON.stringify([text, marks]);
      const old = /** @type {HTMLElement | undefined} */ (colours.children[at]);
      if (old?.dataset.key === key) return;
      const made = lineView(text, marks);
      made.dataset.key = key;
      if (old) old.replaceWith(made);
      else colours.append(made);
    });
    while (colours.childElementCount > lines.length) colours.lastElementChild?.remove();
  }

  #showHelp() {
    const { blocks, keyword, word } = placeAt(this.area.value, this.area.selectionStart);
    this.element.append(this.help);
    this.explain(this.vocabulary?.find(blocks, keyword), word);
  }

  /** Shows the documentation of a directive. @param {Meaning | undefined} meaning @param {string} [word] */
  explain(meaning, word = '') {
    fill(this.help, meaningView(meaning, word));
  }
}

/** Where faults stand in a line: from, to, severity. @param {Found[]} faults @param {number} line @param {number} length @returns {[number, number, string][]} */
function marksOf(faults, line, length) {
  return faults.filter((fault) => fault.line <= line && line <= fault.end.line).map((fault) => {
    const from = fault.line === line ? fault.column - 1 : 0;
    const to = fault.end.line === line ? fault.end.column - 1 : length;
    return [Math.max(0, Math.min(from, length - 1)), Math.max(to, from + 1), fault.severity];
  });
}

/** Puts a text in the place of what is selected; this way the browser can undo it. @param {string} text */
const type = (text) => document.execCommand('insertText', false, text);

/** A line as coloured words, with what is wrong in it underlined. @param {string} text @param {[number, number, string][]} [marks] */
export function lineView(text, marks = []) {
  // The classes of each character.
  const names = spans(text).flatMap(([part, kind]) => Array(part.length).fill(kind && `w-${kind}`));
  for (const [from, to, severity] of marks) {
    for (let at = from; at < to; at += 1) names[at] = `${names[at]} fault-${severity}`;
  }
  const line = el('span.text-line');
  for (let start = 0, end = 0; start < text.length; start = end) {
    while (end < text.length && names[end] === names[start]) end += 1;
    const part = text.slice(start, end);
    line.append(names[start] ? el('span', { class: names[start] }, part) : plain(part));
  }
  line.append('\n');
  return line;
}

/** @param {Meaning | undefined} meaning @param {string} word the word at the cursor */
function meaningView(meaning, word) {
  if (!meaning) return el('p.quiet', word ? 'This word has no documentation.' : 'Documentation of the word at the cursor.');
  const { keyword, description, form, unit, usual, example } = meaning;
  const rows = Object.entries({ Form: form, Unit: unit, 'Without it': usual, Example: example }).filter(([, value]) => value);
  return [el('p', el('code.w-keyword', keyword), ` ${description}`),
    el('dl.meaning', rows.map(([name, value]) => [el('dt', name), el('dd', value)]))];
}

// The text of one entry, with the line numbers of the file: coloured, faults while typing, documentation of the word at
// the cursor. Keys work on this text alone, so it may be part of a file of any length.

import { el, fill, keyOf, later, plain } from './dom.js';
import { faultItem } from './problem_view.js';
import { placeAt, spans, startOf } from './words.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('./vocabulary.js').Vocabulary} Vocabulary
 * @typedef {{ severity: string, message: string, hint?: string, line: number, column: number,
 *   end: { line: number, column: number }, fix?: { range: { start: Point, end: Point }, text: string } }} Found
 * @typedef {{ line: number, column: number }} Point
 * @typedef {{ path: string, text: string, line: number, isReadOnly: boolean }} Shown
 */

/** The time after the last key at which the server is asked for faults, in milliseconds. */
const PAUSE = 250;

export class EntryEditor {
  /** @type {Found[]} */
  #faults = [];
  #askLater = later(PAUSE, () => this.#ask());
  #keepLater = later(0, () => this.typed(this.area.value));

  /**
   * @param {State} state
   * @param {Promise<Vocabulary>} vocabulary
   * @param {Shown} shown
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
      readonly: shown.isReadOnly, 'aria-label': `Text of ${shown.path}`, 'aria-describedby': 'faults',
      oninput: () => this.#typed(), onkeydown: (event) => this.#key(event), onkeyup: help, onclick: help, onfocus: help });
    this.area.value = shown.text;
    this.faults = el('ul.faults', { id: 'faults', 'aria-label': 'Faults' });
    this.help = el('div.help');
    this.element = el('div.entry',
      el('div.entry-text', this.numbers, el('div.layers', this.colours, this.area)), this.faults, this.help);
    vocabulary.then((known) => { this.vocabulary = known; help(); }, () => {});
    this.#paint();
    this.#askLater();
  }

  /** Puts the cursor on a line of the file. @param {number} line */
  goTo(line) {
    const start = { line: Math.max(1, line - this.shown.line + 1), column: 1 };
    this.#select(start, start);
    this.#showHelp();
  }

  #typed() {
    this.#paint();
    this.#showHelp();
    this.#keepLater();
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
    const found = await this.state.api.post('check_config', { path: this.shown.path, columns: 'utf16' }, value).catch(() => undefined);
    if (!found || value !== this.area.value) return;
    this.#faults = found.body.faults.filter((/** @type {Found} */ fault) => fault.line);
    this.#paint();
    fill(this.faults, this.#faults.map((fault) => this.#faultView(fault)));
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
    // Only lines that differ are made again, so that a key costs one line.
    lines.forEach((text, at) => {
      const marks = this.#marks(at + 1, text.length);
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

  /** Where faults stand in a line: from, to, severity. @param {number} line @param {number} length @returns {[number, number, string][]} */
  #marks(line, length) {
    return this.#faults.filter((fault) => fault.line <= line && line <= fault.end.line).map((fault) => {
      const from = fault.line === line ? fault.column - 1 : 0;
      const to = fault.end.line === line ? fault.end.column - 1 : length;
      return [Math.max(0, Math.min(from, length - 1)), Math.max(to, from + 1), fault.severity];
    });
  }

  #showHelp() {
    const { blocks, keyword, word } = placeAt(this.area.value, this.area.selectionStart);
    fill(this.help, meaningView(this.vocabulary?.find(blocks, keyword), word));
  }
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

/** @param {import('./vocabulary.js').Meaning | undefined} meaning @param {string} word the word at the cursor */
export function meaningView(meaning, word) {
  if (!meaning) return el('p.quiet', word ? 'This word has no documentation.' : 'Documentation of the word at the cursor.');
  const { keyword, description, form, unit, usual, example } = meaning;
  const rows = Object.entries({ Form: form, Unit: unit, 'Without it': usual, Example: example }).filter(([, value]) => value);
  return [el('p', el('code.w-keyword', keyword), ` ${description}`),
    el('dl.meaning', rows.map(([name, value]) => [el('dt', name), el('dd', value)]))];
}

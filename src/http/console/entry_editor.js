// The text of one entry, with the line numbers of the file: coloured, faults while typing, documentation of the word at
// the cursor. Keys work on this text alone, so it may be part of a file of any length.

import { el, fill } from './dom.js';
import { faultItem } from './problem_view.js';
import { placeAt, spans, startOf } from './words.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('./vocabulary.js').Vocabulary} Vocabulary
 * @typedef {{ severity: string, message: string, hint?: string, line: number, column: number,
 *   end: { line: number, column: number }, fix?: { range: { start: Point, end: Point }, text: string } }} Found
 * @typedef {{ line: number, column: number }} Point
 * @typedef {{ path: string, base: string, text: string, line: number, isReadOnly: boolean, now: string }} Shown `now` is what runs
 */

/** The time after the last key at which the server is asked for faults, in milliseconds. */
const PAUSE = 250;

export class EntryEditor {
  /** @type {Found[]} */
  #faults = [];
  #timer = 0;
  #request = new AbortController();

  /**
   * @param {State} state
   * @param {Promise<Vocabulary>} vocabulary
   * @param {Shown} shown
   */
  constructor(state, vocabulary, shown) {
    this.state = state;
    this.shown = shown;
    this.numbers = el('div.numbers', { 'aria-hidden': 'true' });
    this.colours = el('pre.colours', { 'aria-hidden': 'true' });
    this.area = el('textarea.area', { autocapitalize: 'off', autocomplete: 'off', wrap: 'off',
      readonly: shown.isReadOnly, 'aria-label': `Text of ${shown.path}`, 'aria-describedby': 'faults' });
    this.area.value = state.drafts.textOf(shown.path)?.text ?? shown.text;
    this.faults = el('ul.faults', { id: 'faults', 'aria-label': 'Faults' });
    this.help = el('div.help', { 'aria-live': 'off' });
    this.element = el('div.entry',
      el('div.entry-text', this.numbers, el('div.layers', this.colours, this.area)),
      this.faults, this.help);
    this.area.addEventListener('input', () => this.#typed());
    this.area.addEventListener('keydown', (event) => this.#key(event));
    for (const name of ['keyup', 'click', 'focus']) this.area.addEventListener(name, () => this.#showHelp());
    vocabulary.then((known) => { this.vocabulary = known; this.#showHelp(); }, () => {});
    this.#paint();
    this.#askLater();
  }

  /** Shows another text, if it is not the one that is there. @param {string} text */
  set(text) {
    if (this.area.value === text) return;
    const at = this.area.selectionStart;
    this.area.value = text;
    this.area.setSelectionRange(at, at);
    this.#paint();
  }

  /** Puts the cursor on a line of the file. @param {number} line */
  goTo(line) {
    const at = startOf(this.area.value.split('\n'), Math.max(0, line - this.shown.line));
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(at, at);
    this.#showHelp();
  }

  leave() {
    clearTimeout(this.#timer);
    this.#request.abort();
  }

  #typed() {
    this.#paint();
    this.#showHelp();
    clearTimeout(this.#keep);
    this.#keep = window.setTimeout(() => this.state.drafts.setText(
      { path: this.shown.path, base: this.shown.base, before: this.shown.text, now: this.shown.now }, this.area.value), 0);
    this.#askLater();
  }
  #keep = 0;

  /** Enter keeps the indentation of the line. @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.altKey || this.area.readOnly) return;
    const { value, selectionStart } = this.area;
    const line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart);
    const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
    if (!indent && !line.endsWith('{')) return;
    event.preventDefault();
    // This way the browser can undo it.
    document.execCommand('insertText', false, `\n${indent}${line.trimEnd().endsWith('{') ? '  ' : ''}`);
  }

  #askLater() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#ask(), PAUSE);
  }

  async #ask() {
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    if (!this.state.mayEdit) return;
    const query = { path: this.shown.path, columns: 'utf16' };
    const found = await this.state.api.post('check_config', query, this.area.value, { signal }).catch(() => undefined);
    if (signal.aborted || !found) return;
    this.#faults = found.body.faults.filter((/** @type {Found} */ fault) => fault.line);
    this.#paint();
    this.#showFaults();
  }

  #showFaults() {
    fill(this.faults, ...this.#faults.map((fault) => {
      const { line, column, fix } = fault;
      const place = el('button.link', { onclick: () => this.#select(fault) },
        `Line ${line + this.shown.line - 1}, column ${column}`);
      return faultItem(fault, place, fix && !this.area.readOnly && el('button.small', { onclick: () => this.#fix(fault) }, 'Fix'));
    }));
  }

  /** @param {Found} fault */
  #select({ line, column, end }) {
    this.area.focus();
    this.area.setSelectionRange(this.#offset({ line, column }), this.#offset(end));
  }

  /** @param {Found} fault */
  #fix({ fix }) {
    if (!fix) return;
    this.area.focus();
    this.area.setSelectionRange(this.#offset(fix.range.start), this.#offset(fix.range.end));
    document.execCommand('insertText', false, fix.text);
  }

  /** @param {Point} point */
  #offset({ line, column }) {
    return startOf(this.area.value.split('\n'), line - 1) + column - 1;
  }

  #paint() {
    const lines = this.area.value.split('\n');
    const { numbers, colours, shown } = this;
    if (numbers.childElementCount !== lines.length) {
      fill(numbers, ...lines.map((_, at) => el('span', at + shown.line)));
      this.area.rows = lines.length;
    }
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

  /**
   * Where faults stand in a line: from, to, severity.
   * @param {number} line
   * @param {number} length
   * @returns {[number, number, string][]}
   */
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

/**
 * A line as coloured words, with what is wrong in it underlined.
 * @param {string} text
 * @param {[number, number, string][]} [marks]
 */
export function lineView(text, marks = []) {
  const line = el('span.text-line');
  let at = 0;
  for (const [part, kind] of spans(text)) {
    const cuts = [...new Set(marks.flatMap(([from, to]) => [from - at, to - at]))].filter((cut) => cut > 0 && cut < part.length);
    let start = 0;
    for (const cut of [...cuts.toSorted((one, other) => one - other), part.length]) {
      const severity = marks.find(([from, to]) => from <= at + start && at + start < to)?.[2] ?? '';
      const name = [kind && `w-${kind}`, severity && `fault-${severity}`].filter(Boolean).join(' ');
      line.append(name ? el('span', { class: name }, part.slice(start, cut)) : part.slice(start, cut));
      start = cut;
    }
    at += part.length;
  }
  line.append('\n');
  return line;
}

/**
 * @param {import('./vocabulary.js').Meaning | undefined} meaning
 * @param {string} word the word at the cursor
 */
export function meaningView(meaning, word) {
  if (!meaning) return el('p.quiet', word ? 'There is no documentation for this word.' : 'Put the cursor on a word to read what it means.');
  const { keyword, description, form, unit, usual, example } = meaning;
  const row = (/** @type {string} */ name, /** @type {string} */ value) =>
    value ? [el('dt', name), el('dd', value)] : [];
  return el('div',
    el('p', el('code.w-keyword', keyword), ` ${description}`),
    el('dl.meaning', ...row('Form', form.replace(/`/g, '')), ...row('Unit', unit),
      ...row('Without it', usual.replace(/`/g, '')), ...row('Example', example)));
}

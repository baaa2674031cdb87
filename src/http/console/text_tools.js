// What stands above the text: search, go to a line, and its faults.

import { el, fill } from './dom.js';
import { messageOf } from './api.js';
import { faultItem } from './problem_view.js';

/**
 * @typedef {object} View the lines, and the cursor in them
 * @property {string[]} lines
 * @property {number} cursor
 * @property {(index: number, how?: { middle?: boolean }) => void} goTo
 * @property {import('./virtual_rows.js').VirtualRows} rows
 */

export class TextTools {
  /** @type {number[]} */
  #found = [];
  /** @type {Set<number>} */
  #inLines = new Set();
  /** @type {string[]} */
  #lower = [];
  #word = '';
  /** The line at which the search began. */
  #start = 0;

  /**
   * @param {View} view
   * @param {import('./state.js').State} state
   */
  constructor(view, state) {
    this.view = view;
    this.state = state;
    this.search = el('input', { type: 'search', id: 'search', placeholder: 'Search the text', 'aria-label': 'Search the text',
      autocomplete: 'off', spellcheck: 'false', oninput: () => this.#look(), onkeydown: (event) => this.#key(/** @type {KeyboardEvent} */ (event)) });
    this.count = el('span.quiet', { role: 'status' });
    this.line = el('input', { type: 'number', min: 1, 'aria-label': 'Go to line', placeholder: 'Line' });
    this.faults = el('div.text-faults');
    const goTo = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (this.line.valueAsNumber > 0) view.goTo(this.line.valueAsNumber - 1, { middle: true });
    };
    this.element = el('div.text-tools', el('div.search', this.search, this.count),
      el('form.go', { onsubmit: goTo }, this.line, el('button', 'Go')),
      el('button', { onclick: () => void this.#check() }, 'Check'), this.faults);
  }

  /** The lines are others. */
  reset() {
    this.#lower = this.view.lines.map((line) => line.toLowerCase());
    fill(this.faults);
    if (this.#word) this.#look();
  }

  /** True if the words of the search are in a line. @param {number} index */
  isFound(index) {
    return this.#inLines.has(index);
  }

  /** Where the words of the search are in a line. @param {string} line @returns {[number, number, string][]} */
  marks(line) {
    /** @type {[number, number, string][]} */
    const marks = [];
    const [text, word] = [line.toLowerCase(), this.#word];
    for (let at = word ? text.indexOf(word) : -1; at >= 0; at = text.indexOf(word, at + word.length)) {
      marks.push([at, at + word.length, 'search']);
    }
    return marks;
  }

  #look() {
    const word = this.search.value.toLowerCase();
    if (!this.#word) this.#start = this.view.cursor;
    this.#word = word;
    this.#found = word ? this.#lower.flatMap((line, at) => (line.includes(word) ? at : [])) : [];
    this.#inLines = new Set(this.#found);
    const next = this.#found.find((at) => at >= this.#start) ?? this.#found[0];
    this.view.rows.reset(this.view.lines.length);
    if (next !== undefined) this.view.goTo(next, { middle: true });
    this.#tell();
  }

  #tell() {
    const place = this.#found.indexOf(this.view.cursor) + 1;
    this.count.textContent = this.#word ? `${place || '–'} of ${this.#found.length}` : '';
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === 'Escape') {
      this.search.value = '';
      this.#look();
    } else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const { cursor } = this.view;
      const next = event.shiftKey
        ? this.#found.findLast((at) => at < cursor) ?? this.#found.at(-1)
        : this.#found.find((at) => at > cursor) ?? this.#found[0];
      if (next !== undefined) this.view.goTo(next, { middle: true });
      this.#tell();
    }
  }

  async #check() {
    fill(this.faults, el('p.quiet', 'The server looks for faults …'));
    try {
      const { body } = await this.state.api.post('check_config', {}, this.view.lines.join('\n'));
      fill(this.faults, this.#list(body));
    } catch (error) {
      fill(this.faults, el('p.problem', messageOf(error)));
    }
  }

  /** @param {{ errors: number, warnings: number, faults: any[] }} found */
  #list({ errors, warnings, faults }) {
    if (faults.length === 0) return el('p', { role: 'status' }, 'No faults.');
    return el('div', { role: 'status' }, el('p', `Errors: ${errors}, warnings: ${warnings}`),
      el('ul.faults', ...faults.map((fault) => faultItem(fault, this.#place(fault)))));
  }

  /** @param {{ line: number, file?: string }} fault */
  #place({ line, file }) {
    if (file) return el('span', `${file}, line ${line}`);
    return el('button.link', { onclick: () => this.view.goTo(line - 1, { middle: true }) }, `Line ${line}`);
  }
}

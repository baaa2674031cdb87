// What stands above the text: its search, and its faults.

import { el, keyOf } from './dom.js';
import { faultItem, showWhenRead } from './problem_view.js';

/**
 * The search of a text: its element, what looks again, and where the words are in a line.
 * @param {import('./virtual_rows.js').VirtualRows} rows
 * @param {() => string[]} lines
 */
export function searchView(rows, lines) {
  let word = '';
  /** The lines with the words. @type {number[]} */
  let found = [];
  const search = el('input', { type: 'search', id: 'search', placeholder: 'Search the text', 'aria-label': 'Search the text',
    oninput: () => looked(), onkeydown: key });
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
    if (pressed === 'Escape') search.value = '';
    if (pressed === 'Escape') looked();
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
 * @param {HTMLElement} box
 * @param {import('./state.js').State} state
 * @param {string} text
 * @param {(line: number) => void} goTo
 */
export function checkView(box, { api }, text, goTo) {
  const place = (/** @type {{ line: number, file?: string }} */ { line, file }) =>
    file ? el('span', `${file}, line ${line}`) : el('button.link', { onclick: () => goTo(line) }, `Line ${line}`);
  return showWhenRead(box, async () => {
    const { errors, warnings, faults } = (await api.post('check_config', {}, text)).body;
    if (!faults.length) return el('p', { role: 'status' }, 'No faults.');
    return el('div', { role: 'status' }, el('p', `Errors: ${errors}, warnings: ${warnings}`),
      el('ul.faults', faults.map((/** @type {any} */ fault) => faultItem(fault, place(fault)))));
  }, 'The server looks for faults …');
}

// A unified diff as rows; of a long one only those are drawn that can be seen.

import { el } from './dom.js';
import { counts, diffLines } from './diff.js';
import { counted } from './figures.js';
import { VirtualRows } from './virtual_rows.js';

/** @typedef {import('./diff.js').DiffLine} DiffLine */

/** The height of a row, as `console.css` has it. */
const ROW = 20;

/** Up to so many rows are all drawn. */
const ALL = 300;

const SIGNS = { hunk: '', same: ' ', added: '+', removed: '−' };
const WORDS = { hunk: '', same: '', added: 'added: ', removed: 'removed: ' };

/**
 * The element that shows a diff.
 * @param {string} text
 * @returns {HTMLElement}
 */
export function diffView(text) {
  const lines = diffLines(text);
  const { added, removed } = counts(lines);
  const words = `${counted(added, 'line')} added, ${counted(removed, 'line')} removed`;
  const box = el('div', { class: 'diff', role: 'region', 'aria-label': `Difference: ${words}`, tabindex: 0 });
  if (lines.length <= ALL) {
    box.append(...lines.map(row));
  } else {
    box.classList.add('long');
    new VirtualRows(box, ROW, (index) => row(lines[index] ?? { kind: 'same', text: '' })).reset(lines.length);
  }
  return el('figure', { class: 'difference' }, el('figcaption', {}, words), box);
}

/** @param {DiffLine} line */
function row({ kind, text, before, after }) {
  return el('div', { class: `line ${kind}` },
    el('span', { class: 'number', 'aria-hidden': 'true' }, before ?? ''),
    el('span', { class: 'number', 'aria-hidden': 'true' }, after ?? ''),
    el('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[kind]),
    WORDS[kind] && el('span', { class: 'unseen' }, WORDS[kind]),
    el('code', {}, text));
}

// The lines of a unified diff, with their numbers in both texts, and as rows: of a long one only those are drawn that can be
// seen.

import { el } from './dom.js';
import { counted } from './figures.js';
import { VirtualRows } from './virtual_rows.js';

/**
 * @typedef {object} DiffLine
 * @property {'hunk' | 'same' | 'added' | 'removed'} kind
 * @property {string} text without its sign
 * @property {number | undefined} [before] its number in the old text
 * @property {number | undefined} [after] its number in the new text
 */

/** The diff that was read last: one diff is shown, looked at for secrets, and made a command at each key. @type {{ text: string, lines: readonly DiffLine[] }} */
let last = { text: '', lines: [] };

/**
 * Reads a unified diff.
 * @param {string} text
 * @returns {readonly DiffLine[]}
 */
export function diffLines(text) {
  if (text !== last.text) last = { text, lines: read(text) };
  return last.lines;
}

/**
 * @param {string} text
 * @returns {DiffLine[]}
 */
function read(text) {
  /** @type {DiffLine[]} */
  const found = [];
  let [before, after] = [0, 0];
  for (const line of text.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      found.push({ kind: 'hunk', text: line });
    } else if (found.length > 0 && line.startsWith('+')) {
      found.push({ kind: 'added', text: line.slice(1), after: after++ });
    } else if (found.length > 0 && line.startsWith('-')) {
      found.push({ kind: 'removed', text: line.slice(1), before: before++ });
    } else if (line.startsWith(' ')) {
      found.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
    }
  }
  return found;
}

/**
 * The counts of added and removed lines.
 * @param {readonly DiffLine[]} lines
 */
export function counts(lines) {
  const count = (/** @type {string} */ kind) => lines.filter((line) => line.kind === kind).length;
  return { added: count('added'), removed: count('removed') };
}

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
  const box = el('div.diff', { role: 'region', 'aria-label': `Difference: ${words}`, tabindex: 0 });
  if (lines.length <= ALL) {
    box.append(...lines.map(row));
  } else {
    box.classList.add('long');
    new VirtualRows(box, (index) => row(lines[index] ?? { kind: 'same', text: '' })).reset(lines.length);
  }
  return el('figure.difference', el('figcaption', words), box);
}

/** @param {DiffLine} line */
function row({ kind, text, before, after }) {
  return el('div', { class: `line ${kind}` },
    el('span.number', { 'aria-hidden': 'true' }, before ?? ''),
    el('span.number', { 'aria-hidden': 'true' }, after ?? ''),
    el('span.sign', { 'aria-hidden': 'true' }, SIGNS[kind]),
    WORDS[kind] && el('span.unseen', WORDS[kind]),
    el('code', text));
}

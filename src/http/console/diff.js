// The lines of a unified diff, with their numbers in both texts, and as rows: of a long one only those are drawn that can be
// seen.

import { el } from './dom.js';
import { counted } from './figures.js';
import { VirtualRows } from './virtual_rows.js';

/**
 * A line without its sign, with its numbers in the old and the new text.
 * @typedef {{ kind: 'hunk' | 'same' | 'added' | 'removed', text: string, before?: number, after?: number }} DiffLine
 */

/** What a line is, by its sign. @type {Record<string, DiffLine['kind']>} */
const KINDS = { ' ': 'same', '+': 'added', '-': 'removed' };

/** Reads a unified diff. @param {string} text @returns {DiffLine[]} */
export function diffLines(text) {
  /** @type {DiffLine[]} */
  const found = [];
  let [before, after] = [0, 0];
  for (const line of text.split('\n')) {
    const hunk = /^@@ -(\d+).*? \+(\d+)/.exec(line);
    const kind = KINDS[line.charAt(0)];
    if (hunk) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      found.push({ kind: 'hunk', text: line });
    } else if (kind && found.length > 0) {
      found.push({ kind, text: line.slice(1), before: kind === 'added' ? undefined : before++, after: kind === 'removed' ? undefined : after++ });
    }
  }
  return found;
}

/** The counts of added and removed lines. @param {readonly DiffLine[]} lines */
export function counts(lines) {
  const count = (/** @type {string} */ kind) => lines.filter((line) => line.kind === kind).length;
  return { added: count('added'), removed: count('removed') };
}

/** Up to so many rows are all drawn. */
const ALL = 300;

/** The element that shows a diff. @param {string} text @returns {HTMLElement} */
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
  const sign = { added: '+', removed: '−' }[/** @type {string} */ (kind)];
  const unread = (/** @type {string} */ name, /** @type {string | number | undefined} */ shown) => el(`span.${name}`, { 'aria-hidden': 'true' }, shown);
  return el('div', { class: `line ${kind}` }, unread('number', before), unread('number', after),
    unread('sign', sign), sign && el('span.unseen', `${kind}: `), el('code', text));
}

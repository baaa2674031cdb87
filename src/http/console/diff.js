// The lines of a unified diff, with their numbers in both texts.

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

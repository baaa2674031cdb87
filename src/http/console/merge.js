// Three-way merge of the lines of one entry: what was read, what others made of it, and what was typed here.

/**
 * @typedef {{ lines: string[] }} Agreed
 * @typedef {{ base: string[], theirs: string[], mine: string[] }} Clash
 * @typedef {Agreed | Clash} Part
 */

/** Beyond so many pairs of lines, all that differs counts as one change. */
const MOST_PAIRS = 4_000_000;

/**
 * Merges two texts that were made of one. Changes in lines side by side are no clash.
 * @param {string} base
 * @param {string} theirs
 * @param {string} mine
 * @param {boolean} [isAsked] if what others changed is asked for, too, where `mine` is as it was
 * @returns {Part[]}
 */
export function merge(base, theirs, mine, isAsked = false) {
  const [old, ...sides] = [base, theirs, mine].map((text) => text.split('\n'));
  const places = sides.map((lines) => [...matches(old, lines), lines.length]);
  /** @type {Part[]} */
  const parts = [];
  let [start, from] = [0, [0, 0]];
  for (let at = 0; at <= old.length; at += 1) {
    // Where each side is at this line: it has the line, or changes it behind one that it has.
    const to = places.map((side) => (side[at] < 0 && at > start && side[at - 1] >= 0 ? side[at - 1] + 1 : side[at]));
    if (to.some((place) => place < 0)) continue;
    const [their, my] = sides.map((lines, side) => lines.slice(from[side], to[side]));
    parts.push(settled({ base: old.slice(start, at), theirs: their, mine: my }, isAsked));
    const isSame = places.every((side) => side[at] >= 0);
    if (isSame) parts.push({ lines: old.slice(at, at + 1) });
    [start, from] = isSame ? [at + 1, to.map((place) => place + 1)] : [at, to];
  }
  return parts;
}

/**
 * The text of a merge, with a choice for each clash, in order.
 * @param {Part[]} parts
 * @param {readonly ('base' | 'theirs' | 'mine')[]} [choices]
 */
export function chosen(parts, choices = []) {
  let clash = 0;
  return parts.flatMap((part) => ('lines' in part ? part.lines : part[choices[clash++] ?? 'theirs'])).join('\n');
}

/**
 * @param {Clash} cut
 * @param {boolean} isAsked
 * @returns {Part}
 */
function settled({ base, theirs, mine }, isAsked) {
  const [old, their, my] = [base, theirs, mine].map((lines) => JSON.stringify(lines));
  if (their === my || (old === my && !isAsked)) return { lines: theirs };
  return old === their ? { lines: mine } : { base, theirs, mine };
}

/**
 * For each old line its place among the new ones, or -1: a longest common subsequence.
 * @param {string[]} old
 * @param {string[]} now
 */
function matches(old, now) {
  const places = old.map(() => -1);
  let [start, end, nowEnd] = [0, old.length, now.length];
  while (start < Math.min(end, nowEnd) && old[start] === now[start]) places[start] = start++;
  while (start < Math.min(end, nowEnd) && old[end - 1] === now[nowEnd - 1]) places[--end] = --nowEnd;
  const [left, others] = [old.slice(start, end), now.slice(start, nowEnd)];
  if (left.length * others.length > MOST_PAIRS) return places;
  // The lengths of the longest subsequences from each pair of lines on; beyond the last ones they are 0.
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint32Array(others.length + 1));
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = others.length - 1; column >= 0; column -= 1) {
      lengths[row][column] = left[row] === others[column] ? lengths[row + 1][column + 1] + 1
        : Math.max(lengths[row + 1][column], lengths[row][column + 1]);
    }
  }
  for (let [row, column] = [0, 0]; row < left.length && column < others.length; ) {
    if (left[row] === others[column]) places[start + row++] = start + column++;
    else if (lengths[row + 1][column] >= lengths[row][column + 1]) row += 1;
    else column += 1;
  }
  return places;
}

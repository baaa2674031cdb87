// Three-way merge of the lines of one entry: what was read, what others made of it, and what was typed here.

/**
 * @typedef {{ lines: string[] }} Agreed
 * @typedef {{ base: string[], theirs: string[], mine: string[] }} Clash
 * @typedef {Agreed | Clash} Part
 */

/** Beyond so many pairs of lines, all that differs counts as one change. */
const MOST_PAIRS = 4_000_000;

/**
 * Merges two texts that were made of one.
 * @param {string} base
 * @param {string} theirs
 * @param {string} mine
 * @returns {Part[]}
 */
export function merge(base, theirs, mine) {
  const [old, them, me] = [base, theirs, mine].map((text) => text.split('\n'));
  if (!old || !them || !me) return [];
  const [inTheirs, inMine] = [matches(old, them), matches(old, me)];
  /** @type {Part[]} */
  const parts = [];
  let [at, theirsAt, mineAt] = [0, 0, 0];
  while (at < old.length || theirsAt < them.length || mineAt < me.length) {
    let next = at;
    while (next < old.length && (inTheirs[next] === -1 || inMine[next] === -1)) next += 1;
    const theirsEnd = inTheirs[next] ?? them.length;
    const mineEnd = inMine[next] ?? me.length;
    const cut = { base: old.slice(at, next), theirs: them.slice(theirsAt, theirsEnd), mine: me.slice(mineAt, mineEnd) };
    add(parts, settled(cut));
    const line = old[next];
    if (line !== undefined) add(parts, { lines: [line] });
    [at, theirsAt, mineAt] = [next + 1, theirsEnd + 1, mineEnd + 1];
  }
  return parts;
}

/**
 * True if nothing has to be chosen.
 * @param {Part[]} parts
 * @returns {parts is Agreed[]}
 */
export function isClean(parts) {
  return parts.every((part) => 'lines' in part);
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
 * @returns {Part}
 */
function settled({ base, theirs, mine }) {
  if (same(theirs, mine) || same(base, mine)) return { lines: theirs };
  return same(base, theirs) ? { lines: mine } : { base, theirs, mine };
}

/**
 * @param {Part[]} parts
 * @param {Part} part
 */
function add(parts, part) {
  const last = parts.at(-1);
  if ('lines' in part && part.lines.length === 0) return;
  if (last && 'lines' in last && 'lines' in part) last.lines.push(...part.lines);
  else parts.push('lines' in part ? { lines: [...part.lines] } : part);
}

/**
 * @param {string[]} one
 * @param {string[]} other
 */
function same(one, other) {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}

/**
 * For each old line its place among the new ones, or -1: a longest common subsequence.
 * @param {string[]} old
 * @param {string[]} now
 */
function matches(old, now) {
  const places = old.map(() => -1);
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) places[start] = start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) {
    places[old.length - 1 - end] = now.length - 1 - end;
    end += 1;
  }
  const [rows, columns] = [old.length - end - start, now.length - end - start];
  if (rows * columns > MOST_PAIRS) return places;
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      const [below, right] = [lengths[at + width] ?? 0, lengths[at + 1] ?? 0];
      const isSame = old[start + row] === now[start + column];
      lengths[at] = isSame ? (lengths[at + width + 1] ?? 0) + 1 : Math.max(below, right);
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    const at = row * width + column;
    if (old[start + row] === now[start + column]) places[start + row++] = start + column++;
    else if ((lengths[at + width] ?? 0) >= (lengths[at + 1] ?? 0)) row += 1;
    else column += 1;
  }
  return places;
}

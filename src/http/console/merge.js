// Three-way merge of the lines of one entry: what was read, what others made of it, and what was typed here.

/**
 * @typedef {{ lines: string[] }} Agreed
 * @typedef {{ base: string[], theirs: string[], mine: string[] }} Clash
 * @typedef {Agreed | Clash} Part
 */

/** Beyond so many pairs of lines, all that differs counts as one change. */
const MOST_PAIRS = 4_000_000;

/** A change of the lines from `start` up to `end`. @typedef {{ start: number, end: number, lines: string[] }} Hunk */

/**
 * Merges two texts that were made of one. Changes in lines side by side are no clash.
 * @param {string} base
 * @param {string} theirs
 * @param {string} mine
 * @param {boolean} [isAsked] if what others changed is asked for, too, where `mine` is as it was
 * @returns {Part[]}
 */
export function merge(base, theirs, mine, isAsked = false) {
  const old = base.split('\n');
  const [others, own] = [hunks(old, theirs.split('\n')), hunks(old, mine.split('\n'))];
  /** @type {Part[]} */
  const parts = [];
  let at = 0;
  while (others.length > 0 || own.length > 0) {
    const { start, end, theirHunks, myHunks } = nextTogether(others, own);
    add(parts, { lines: old.slice(at, start) });
    add(parts, settled({ base: old.slice(start, end), theirs: changed(old, start, end, theirHunks), mine: changed(old, start, end, myHunks) }, isAsked));
    at = end;
  }
  add(parts, { lines: old.slice(at) });
  return parts;
}

/**
 * Takes the next hunks that are about the same lines.
 * @param {Hunk[]} others
 * @param {Hunk[]} own
 */
function nextTogether(others, own) {
  /** @type {Hunk[]} */
  const theirHunks = [];
  /** @type {Hunk[]} */
  const myHunks = [];
  let [start, end] = [Infinity, -1];
  for (;;) {
    const isTheirs = (others[0]?.start ?? Infinity) <= (own[0]?.start ?? Infinity);
    const [from, to] = isTheirs ? [others, theirHunks] : [own, myHunks];
    const next = from[0];
    const isBeside = next && next.start === end && next.start < next.end && start < end;
    if (!next || (end >= 0 && (next.start > end || isBeside))) return { start, end, theirHunks, myHunks };
    to.push(next);
    from.shift();
    [start, end] = [Math.min(start, next.start), Math.max(end, next.end)];
  }
}

/**
 * The lines of a range with the hunks in it.
 * @param {string[]} old
 * @param {number} start
 * @param {number} end
 * @param {Hunk[]} within
 */
function changed(old, start, end, within) {
  /** @type {string[]} */
  const lines = [];
  let at = start;
  for (const hunk of within) {
    lines.push(...old.slice(at, hunk.start), ...hunk.lines);
    at = hunk.end;
  }
  return [...lines, ...old.slice(at, end)];
}

/**
 * The changes from one text to another, in order.
 * @param {string[]} old
 * @param {string[]} now
 */
function hunks(old, now) {
  /** @type {Hunk[]} */
  const found = [];
  let [at, nowAt] = [0, 0];
  [...matches(old, now), now.length].forEach((place, line) => {
    if (place < 0) return;
    if (line > at || place > nowAt) found.push({ start: at, end: line, lines: now.slice(nowAt, place) });
    [at, nowAt] = [line + 1, place + 1];
  });
  return found;
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
 * @param {boolean} isAsked
 * @returns {Part}
 */
function settled({ base, theirs, mine }, isAsked) {
  if (same(theirs, mine) || (same(base, mine) && !isAsked)) return { lines: theirs };
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

// The words of a configuration text: its tokens, what a place in it belongs to, and its lines as spans to colour.

/**
 * @typedef {'keyword' | 'word' | 'quoted' | 'mask' | 'comment' | 'end' | 'open' | 'close'} Kind
 * @typedef {{ kind: Kind, start: number, end: number }} Token
 */

/** What white space separates, or nothing. */
const TOKEN = /#[^\n]*|[;{}]|(?:"(?:\\[^]|[^"\\])*"?|[^ \t\r\n;{}"])+/g;

/** @type {Map<string, Kind>} */
const SIGNS = new Map([[';', 'end'], ['{', 'open'], ['}', 'close']]);

/** A mask in the place of a secret. */
export const MASK = /<secret:[0-9A-Za-z]{6}>/;

const CUT = new RegExp(`(${MASK.source})`);

/** The tokens of a text, without white space. @param {string} text @returns {Token[]} */
export function tokens(text) {
  const found = [];
  let isFirst = true;
  for (const { 0: word, index: start } of text.matchAll(TOKEN)) {
    const kind = kindOf(word, isFirst);
    if (kind !== 'comment') isFirst = SIGNS.has(word);
    found.push({ kind, start, end: start + word.length });
  }
  return found;
}

/** @param {string} word @param {boolean} isFirst @returns {Kind} */
function kindOf(word, isFirst) {
  if (word.startsWith('#')) return 'comment';
  const sign = SIGNS.get(word);
  if (sign) return sign;
  if (isFirst) return 'keyword';
  if (MASK.test(word)) return 'mask';
  return word.startsWith('"') ? 'quoted' : 'word';
}

/** The value of a word: without its quotes. @param {string} word */
export function unquoted(word) {
  return word.replace(/"((?:\\[^]|[^"\\])*)"?/g, (_, inner) => String(inner).replace(/\\(["\\])/g, '$1'));
}

/**
 * `words` are those behind the keyword, and `end` is behind its `;` or `}`.
 * @typedef {{ keyword: string, words: string[], start: number, end: number, isBlock: boolean }} Entry
 */

/** The entries at the top of a text, in order; what is not ended is left out. @param {string} text @returns {Entry[]} */
export function entries(text) {
  /** @type {Entry[]} */
  const found = [];
  /** @type {Entry | undefined} */
  let open;
  let depth = 0;
  for (const { kind, start, end } of tokens(text)) {
    if (kind === 'comment') continue;
    const word = text.slice(start, end);
    if (kind === 'open') depth += 1;
    if (kind === 'close') depth = Math.max(0, depth - 1);
    if (depth === 0 && (kind === 'end' || kind === 'close')) {
      if (open) found.push({ ...open, end, isBlock: kind === 'close' });
      open = undefined;
    } else if (!open && kind === 'keyword') {
      open = { keyword: unquoted(word), words: [], start, end, isBlock: false };
    } else if (open && depth === 0 && kind !== 'open') {
      open.words.push(unquoted(word));
    }
  }
  return found;
}

/**
 * What stands at an offset: the keywords of the blocks around it, the outermost one first, that of the entry, and the word.
 * @typedef {{ blocks: string[], keyword: string, word: string }} Place
 */

/** What stands at an offset. @param {string} text @param {number} offset @returns {Place} */
export function placeAt(text, offset) {
  /** @type {string[]} */
  const blocks = [];
  let [keyword, word] = ['', ''];
  for (const { kind, start, end } of tokens(text)) {
    if (start > offset) break;
    if (kind === 'comment') continue;
    const isAt = offset <= end;
    if (kind === 'open') blocks.push(keyword);
    if (kind === 'close') blocks.pop();
    if (kind === 'end' || kind === 'open' || kind === 'close') {
      if (isAt && offset < end) break;
      keyword = '';
      continue;
    }
    if (kind === 'keyword') keyword = text.slice(start, end);
    if (isAt) word = text.slice(start, end);
  }
  return { blocks, keyword, word };
}

/** The offset at which a line begins. @param {readonly string[]} lines @param {number} index of the line */
export function startOf(lines, index) {
  return lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0);
}

/**
 * A line as spans: its words with their kinds, and white space without one. They make up the whole line.
 * @param {string} line
 * @returns {[string, Kind | ''][]}
 */
export function spans(line) {
  /** @type {[string, Kind | ''][]} */
  const found = [];
  /** @returns {[string, Kind]} */
  const maskOrWord = (/** @type {string} */ part) => [part, MASK.test(part) ? 'mask' : 'word'];
  let at = 0;
  for (const { kind, start, end } of tokens(line)) {
    if (start > at) found.push([line.slice(at, start), '']);
    const word = line.slice(start, end);
    if (kind === 'mask') found.push(...word.split(CUT).filter(Boolean).map(maskOrWord));
    else found.push([word, kind]);
    at = end;
  }
  if (at < line.length) found.push([line.slice(at), '']);
  return found;
}

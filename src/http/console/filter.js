// The filter of the list: words, and conditions as `--where` has them (`docs/format.md`, 7), with plain text in the place
// of regular expressions.

import { UNITS } from './figures.js';
import { partsOf } from './path.js';
import { unquoted } from './words.js';

/** @typedef {import('./state.js').Row} Row */

/** @typedef {import('./path.js').Segment | import('./path.js').Several} Part */

/** @typedef {(entry: any) => boolean} Condition */

const QUOTED = String.raw`"(?:\\.|[^"\\])*"`;

const PATH = String.raw`(?:${QUOTED}|\[[^\]]*\]|[^"[\]=!~\s:/?])+`;

/** A word, also one that is not written to its end. */
const WORD = String.raw`(?:${QUOTED}?|\[[^\]]*\]?|[^\s"[])+`;

/** The path, the operator outside quotes and brackets, and the value. */
const CONDITION = new RegExp(String.raw`^(${PATH})(?:\s*(=~|!=|=|~)\s*(.*)|\s+(exists|missing))$`, 's');

/** A condition, whose value is one word, or a word. */
const TERM = new RegExp(String.raw`${PATH}(?:\s*(?:=~|!=|=|~)\s*(?:${WORD})?|\s+(?:exists|missing)(?!\S))|${WORD}`, 'gs');

/**
 * What a text in the field of the filter means: the test of a row, and what is wrong with the text.
 * @param {string} text
 * @returns {{test: (row: Row) => boolean, fault: string}}
 */
export function filterOf(text) {
  /** @type {Condition[]} */
  const conditions = [];
  /** @type {string[]} */
  const words = [];
  let fault = '';
  for (const term of text.match(TERM) ?? []) {
    const found = conditionOf(term);
    if (typeof found === 'function') conditions.push(found);
    else if (found) fault = found;
    else words.push(unquoted(term).toLowerCase());
  }
  /** @param {Row} row */
  const test = (row) => words.every((word) => row.text.includes(word)) && conditions.every((holds) => holds(row.json));
  return { test, fault };
}

/** The condition that a text is, what is wrong with it, or `null` for a word. @param {string} text @returns {Condition | string | null} */
export function conditionOf(text) {
  const [, written = '', sign, wanted = '', word] = CONDITION.exec(text.trim()) ?? [];
  const path = partsOf(written);
  if (!path?.length) return null;
  if (sign === '=~') return '`=~` works only on the command line; `~` finds plain text';
  if (sign === '~' && !wanted) return 'there is no text behind `~`';
  const test = word ? testOf(word === 'exists' ? '!=' : '=', 'null') : testOf(sign, wanted);
  return (entry) => any(own(entry, path), path, test);
}

/**
 * True if any value at a path meets a test; names behind a list go through the list.
 * @param {any} value
 * @param {Part[]} path
 * @param {(value: any) => boolean} test
 * @returns {boolean}
 */
function any(value, path, test) {
  const [first, ...rest] = path;
  const { glob, key, value: wanted } = /** @type {import('./path.js').Several} */ (Object(first));
  const isEach = typeof first === 'object' && !glob;
  if (Array.isArray(value)) {
    if (typeof first === 'number') return any(value.at(first), rest, test);
    const found = key ? value.filter((entry) => String(entry?.[key]) === wanted) : value;
    return value.length ? found.some((entry) => any(entry, isEach ? rest : path, test)) : test(undefined);
  }
  if (first === undefined) return test(value);
  const isObject = typeof value === 'object' && value !== null && !isEach;
  const names = glob && isObject ? Object.keys(value).filter((name) => glob.test(name)) : [];
  if (typeof first === 'string' && isObject) names.push(first);
  return names.length ? names.some((name) => any(value[name], rest, test)) : test(undefined);
}

/** The entry without the global backend, which is not its own, unless the path asks for that. @param {any} entry @param {Part[]} path */
function own(entry, path) {
  if (path[0] !== 'auth' || path[1] === 'url_global' || !entry?.auth) return entry;
  const { url_global: _, ...auth } = entry.auth;
  return { auth: Object.keys(auth).length ? auth : undefined };
}

/** @param {string | undefined} operator @param {string} wanted @returns {(value: any) => boolean} */
function testOf(operator, wanted) {
  const isThere = (/** @type {any} */ value) => value !== undefined && value !== null;
  if (operator === '~') {
    const texts = [wanted, unquoted(wanted) || wanted];
    return (value) => isThere(value) && typeof value !== 'object' && texts.some((text) => String(value).includes(text));
  }
  const equals = (/** @type {any} */ value) => (wanted === 'null' ? !isThere(value) : isThere(value) && isMeant(value, wanted));
  return operator === '=' ? equals : (value) => !equals(value);
}

/** True if a text stands for a value, as `--set` would read it or to the letter. @param {any} value @param {string} text */
function isMeant(value, text) {
  if (typeof value === 'string') return value === text || value === unquoted(text);
  if (typeof value === 'object') return false;
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return String(value) === text || (value === false && text === 'off') || (count !== undefined && value === Number(count) * (UNITS[unit] ?? 0));
}

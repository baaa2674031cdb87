// The filter of the list: words, and conditions as `--where` has them (`docs/format.md`, 7), with plain text in the place
// of regular expressions.

import { UNITS } from './figures.js';

/** @typedef {import('./state.js').Row} Row */

/** @typedef {{name?: string, glob?: RegExp, index?: number, key?: string, value?: string}} Segment without a name, index or key: all */

/** @typedef {(entry: any) => boolean} Condition */

/** The path, the operator outside quotes and brackets, and the value. */
const CONDITION = /^((?:"(?:\\.|[^"\\])*"|\[[^\]]*\]|[^"[\]=!~\s:/?])+)(?:\s*(=~|!=|=|~)\s*(.*)|\s+(exists|missing))$/s;

const PART = /\.?(?:"((?:\\.|[^"\\])*)"|\[(-?\d+)\]|\[(\*)\]|\[([^\]=]+)=([^\]]*)\]|([^.[\]"]+))/y;

/** A word, or a condition with what is quoted in it. */
const TERM = /(?:"(?:\\.|[^"\\])*"?|\[[^\]]*\]?|[^\s"[])+/g;

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
  for (const term of terms(text)) {
    const found = conditionOf(term);
    if (typeof found === 'function') conditions.push(found);
    else if (found) fault = found;
    else words.push(unquoted(term).toLowerCase());
  }
  /** @param {Row} row */
  const test = (row) => words.every((word) => row.text.includes(word)) && conditions.every((holds) => holds(row.json));
  return { test, fault };
}

/**
 * The condition that a text is, what is wrong with it, or `null` for a word.
 * @param {string} text
 * @returns {Condition | string | null}
 */
export function conditionOf(text) {
  const [, written = '', sign, wanted = '', word] = CONDITION.exec(text.trim()) ?? [];
  const path = segmentsOf(written);
  const operator = sign ?? word;
  if (!operator || !path) return null;
  if (operator === '=~') return 'regular expressions (`=~`) are only for mediactl read --where; use `~` to find plain text';
  if (operator === '~' && !wanted) return 'there is no text behind `~`';
  const test = testOf(operator, wanted);
  return (entry) => any(own(entry, path), path, test);
}

/**
 * The words and conditions of a text; blanks around an operator mean nothing.
 * @param {string} text
 */
function terms(text) {
  /** @type {string[]} */
  const found = [];
  let isOpen = false;
  for (const part of text.match(TERM) ?? []) {
    const goesOn = isOpen || /^(?:!?=|=?~)/.test(part) || part === 'exists' || part === 'missing';
    if (goesOn && found.length) found[found.length - 1] += ` ${part}`;
    else found.push(part);
    isOpen = /^(?:!?=|=?~)$/.test(part);
  }
  return found;
}

/**
 * The segments of a path; `null` for another text.
 * @param {string} path
 * @returns {Segment[] | null}
 */
function segmentsOf(path) {
  /** @type {Segment[]} */
  const segments = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < path.length) {
    const found = PART.exec(path);
    if (!found) return null;
    const [, quoted, index, all, key, value, bare] = found;
    if (quoted !== undefined) segments.push({ name: quoted.replace(/\\(.)/g, '$1') });
    else if (index !== undefined) segments.push({ index: Number(index) });
    else if (all) segments.push({});
    else if (key) segments.push({ key, value: unquoted(value ?? '') });
    else segments.push(named(bare ?? ''));
  }
  return segments.length ? segments : null;
}

/** @param {string} name @returns {Segment} */
function named(name) {
  if (!name.includes('*')) return { name };
  const parts = name.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return { name, glob: new RegExp(`^${parts.join('.*')}$`, 's') };
}

/**
 * True if any value at a path meets a test; names behind a list go through the list.
 * @param {any} value
 * @param {Segment[]} path
 * @param {(value: any) => boolean} test
 * @returns {boolean}
 */
function any(value, path, test) {
  const [first, ...rest] = path;
  if (Array.isArray(value)) {
    if (first?.index !== undefined) return any(value.at(first.index), rest, test);
    if (value.length === 0) return test(undefined);
    if (first?.key) return value.some((entry) => String(entry?.[first.key ?? '']) === first.value && any(entry, rest, test));
    return value.some((entry) => any(entry, first && first.name === undefined ? rest : path, test));
  }
  if (!first) return test(value);
  if (first.name === undefined || typeof value !== 'object' || value === null) return test(undefined);
  const { glob } = first;
  if (!glob) return any(value[first.name], rest, test);
  const names = Object.keys(value).filter((name) => glob.test(name));
  return names.length ? names.some((name) => any(value[name], rest, test)) : test(undefined);
}

/**
 * The entry without the global backend, which is not its own, unless the path asks for that.
 * @param {any} entry
 * @param {Segment[]} path
 */
function own(entry, path) {
  if (path[0]?.name !== 'auth' || path[1]?.name === 'url_global' || !entry?.auth) return entry;
  const { url_global: _, ...auth } = entry.auth;
  return { auth: Object.keys(auth).length ? auth : undefined };
}

/**
 * @param {string} operator
 * @param {string} wanted
 * @returns {(value: any) => boolean}
 */
function testOf(operator, wanted) {
  const isThere = (/** @type {any} */ value) => value !== undefined && value !== null;
  if (operator === 'exists' || (operator === '!=' && wanted === 'null')) return isThere;
  if (operator === 'missing' || (operator === '=' && wanted === 'null')) return (value) => !isThere(value);
  if (operator === '~') {
    const texts = [wanted, unquoted(wanted) || wanted];
    return (value) => isThere(value) && typeof value !== 'object' && texts.some((text) => String(value).includes(text));
  }
  const equals = (/** @type {any} */ value) => isThere(value) && isMeant(value, wanted);
  return operator === '=' ? equals : (value) => !equals(value);
}

/**
 * True if a text stands for a value, as `--set` would read it or to the letter.
 * @param {any} value
 * @param {string} text
 */
function isMeant(value, text) {
  if (typeof value === 'string') return value === text || value === unquoted(text);
  if (typeof value === 'object') return false;
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return String(value) === text || (value === false && text === 'off') || (count !== undefined && value === Number(count) * (UNITS[unit] ?? 0));
}

/** @param {string} text */
function unquoted(text) {
  const [, inner] = /^"((?:\\.|[^"\\])*)"$/s.exec(text) ?? [];
  return inner === undefined ? text : inner.replace(/\\(["\\])/g, '$1');
}

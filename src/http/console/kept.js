// What is kept of an edit in the store of the browser: what the server has shown without a mask, and no other typed text.
// Which text is a secret, the server alone knows. What is not kept is asked for again.

import { MASK, MASKS } from './words.js';
import { diffLines } from './diff.js';
import { segmentsOf } from './path.js';

/**
 * @typedef {import('./drafts.js').Draft} Draft
 * @typedef {import('./drafts.js').Assignment} Assignment
 */

/**
 * For each piece of an edit (a line of its text, an assignment as JSON) what is kept of it.
 * @typedef {Map<string, string>} Pieces
 */

/** Stands for what was typed and not kept. It has the form of a mask, so that no server takes it. */
export const RETYPE = '<secret:retype>';

/** What the store has may stay there. @param {Draft} draft @returns {Pieces} */
export function keptAtFirst(draft) {
  return new Map(piecesOf(draft).map((piece) => [piece, piece]));
}

/**
 * What may be kept after the answer of the server.
 * @param {Draft} draft
 * @param {string} diff that the edit makes, masked
 * @returns {Pieces}
 */
export function keptPieces(draft, diff) {
  if (draft.kind === 'values') {
    const isShown = shownIn(diff);
    return keptAtFirst({ ...draft, assignments: draft.assignments.filter(isShown) });
  }
  const lines = diffLines(diff).filter(({ kind }) => kind === 'same' || kind === 'added');
  const shown = new Set(lines.map(({ text }) => text));
  const typed = draft.text.split('\n');
  const [all, before] = [new Set(typed), new Set(draft.before.split('\n'))];
  // A line with a secret is kept as the server shows it. Both stand in the same order.
  const hidden = typed.filter((line) => !shown.has(line) && !before.has(line));
  const masked = lines.filter(({ kind, text }) => kind === 'added' && !all.has(text));
  const isPaired = hidden.length === masked.length && masked.every(({ text }) => MASK.test(text));
  return new Map([
    ...typed.filter((line) => shown.has(line)).map((line) => /** @type {const} */ ([line, line])),
    ...(isPaired ? hidden.map((line, at) => /** @type {const} */ ([line, retyped(masked[at]?.text ?? '', draft.before)])) : []),
  ]);
}

/**
 * The edit as the store may keep it.
 * @param {Draft} draft
 * @param {Pieces} [pieces]
 * @returns {Draft}
 */
export function keptDraft(draft, pieces = new Map()) {
  if (draft.kind === 'values') {
    const kept = (/** @type {Assignment} */ made) =>
      made.value === 'remove' || pieces.has(JSON.stringify(made)) ? made : { ...made, value: { text: RETYPE } };
    return { ...draft, assignments: draft.assignments.map(kept) };
  }
  const before = new Set(draft.before.split('\n'));
  const kept = (/** @type {string} */ line) =>
    line.trim() === '' || before.has(line) ? line : pieces.get(line) ?? `${/^\s*/.exec(line)?.[0]}${RETYPE}`;
  return { ...draft, text: draft.text.split('\n').map(kept).join('\n') };
}

/**
 * Whether the server shows the value of an assignment without a mask, as it was typed.
 * @param {string} diff masked
 * @returns {(assignment: Assignment) => boolean}
 */
export function shownIn(diff) {
  const lines = diffLines(diff);
  const text = (/** @type {string} */ kind) => lines.filter((line) => line.kind === kind).map((line) => line.text).join('\n');
  const [added, removed] = [text('added'), text('removed')];
  const known = new Set(masks(`${removed}\n${text('same')}`));
  const hasNewMask = masks(added).some((mask) => !known.has(mask));
  /** @type {Map<string, boolean>} */
  const found = new Map();
  return ({ path, value }) => {
    if (value === 'remove') return true;
    const name = String(segmentsOf(path)?.findLast((segment) => typeof segment === 'string') ?? path);
    const key = JSON.stringify([name, value]);
    const isShown = found.get(key) ?? (!isSecretName(name) && isValueShown(value, { added, removed, hasNewMask }));
    found.set(key, isShown);
    return isShown;
  };
}

/**
 * @param {Exclude<import('./drafts.js').NewValue, 'remove'>} value
 * @param {{ added: string, removed: string, hasNewMask: boolean }} diff
 */
function isValueShown(value, { added, removed, hasNewMask }) {
  if ('replace' in value) {
    const [, old = '', made = ''] = value.replace.split(value.replace.charAt(1));
    return !hasNewMask && removed.includes(old) && added.includes(made);
  }
  const text = 'typed' in value ? value.typed : value.text;
  if (/^(true|false|null|\[\]|\{\})$/.test(text)) return true;
  if (!/^[[{"]/.test(text)) return hasWord(added, text);
  return !hasNewMask && leaves(text).every((leaf) => hasWord(added, leaf));
}

/**
 * True if a text has a word, and not only as a part of a longer one.
 * @param {string} text
 * @param {string} word
 */
function hasWord(text, word) {
  const isEnd = (/** @type {string} */ sign) => sign === '' || /[\s"';={}]/.test(sign);
  for (let at = text.indexOf(word); at >= 0 && word; at = text.indexOf(word, at + 1)) {
    if (isEnd(text.charAt(at - 1)) && isEnd(text.charAt(at + word.length))) return true;
  }
  return word === '';
}

/** The words and numbers in a value that is JSON. @param {string} text @returns {string[]} */
function leaves(text) {
  /** @param {unknown} value @returns {string[]} */
  const inner = (value) => {
    if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(inner);
    return typeof value === 'boolean' || value === null ? [] : [String(value)];
  };
  try {
    return inner(JSON.parse(text));
  } catch {
    return [text];
  }
}

/** @param {string} text */
function masks(text) {
  return text.match(MASKS) ?? [];
}

/**
 * A masked line in which each secret that was typed is asked for again.
 * @param {string} line
 * @param {string} before the text whose masks stay
 */
function retyped(line, before) {
  return line.replace(MASKS, (mask) => (before.includes(mask) ? mask : RETYPE));
}

/** @param {Draft} draft */
function piecesOf(draft) {
  return draft.kind === 'text' ? draft.text.split('\n') : draft.assignments.map((made) => JSON.stringify(made));
}

// Which names are those of secrets: the lists of `schema/secret_words.rs` (a test holds that).

const WORDS =
  'password passphrase passwd pass pwd psk secret token key iv license authorization credential credentials bearer jwt signature cookie tokens passcode pin otp pw sig hmac';
const KEYS = 'auth sid';
const ENDINGS =
  'password passphrase passwd secret accesstoken apitoken authtoken sessiontoken dbpass userpass userpwd apikey authkey accesskey accesskeyid mykey privatekey secretkey secretkeybase streamkey userkey sessionid sessid';

const LAST_WORDS = new Set(`${WORDS} ${KEYS}`.split(' '));
const LAST_LETTERS = ENDINGS.split(' ');

/**
 * True if the value of an option, a directive or a header with this name is a secret.
 * @param {string} name
 */
export function isSecretName(name) {
  const parts = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase().replace(/\d+$/, '').split(/[^a-z0-9]+/);
  const joined = parts.join('');
  return LAST_WORDS.has(parts.at(-1) ?? '') || LAST_LETTERS.some((ending) => joined.endsWith(ending));
}

// What is kept of an edit in the store of the browser: what the server has shown without a mask, and no other typed text.
// Which text is a secret, the server alone knows. What is not kept is asked for again.

import { MASKS } from './words.js';

/**
 * @typedef {import('./drafts.js').Draft} Draft
 * @typedef {import('./drafts.js').Assignment} Assignment
 */

/**
 * For each piece of an edit (a line of its text, an assignment as JSON) what is kept of it: a line, its path and value as JSON.
 * @typedef {Map<string, string>} Pieces
 */

/** Stands for what was typed and not kept. It has the form of a mask, so that no server takes it. */
export const RETYPE = '<secret:retype>';

/** A value that is asked for again. */
const VALUE = { text: RETYPE };

/**
 * What may be kept of an edit.
 * @param {Draft} draft
 * @param {any} sent its request, with its secrets masked
 * @returns {Pieces}
 */
export function keptPieces(draft, { entries, modify }) {
  const isText = draft.kind === 'text';
  const typed = isText ? draft.text.split('\n') : draft.assignments.map((made) => JSON.stringify(made));
  const shown = isText ? entries.texts[0].text.split('\n')
    : modify.edits.assignments.assignments.map((/** @type {Assignment} */ { path, value }) => JSON.stringify({ path, value }));
  // A secret of several lines is one mask.
  if (typed.length !== shown.length) return new Map();
  const isKnown = (/** @type {string} */ mask, /** @type {number} */ at) => (isText ? draft.before : draft.assignments[at].path).includes(mask);
  return new Map(typed.map((piece, at) =>
    [piece, shown[at].replace(MASKS, (/** @type {string} */ mask) => (isKnown(mask, at) ? mask : RETYPE))]));
}

/**
 * The edit as the store may keep it.
 * @param {Draft} draft
 * @param {Pieces} [pieces]
 * @returns {Draft}
 */
export function keptDraft(draft, pieces = new Map()) {
  if (draft.kind === 'values') {
    const kept = (/** @type {Assignment} */ made) => ({ ...made, ...JSON.parse(pieces.get(JSON.stringify(made)) ?? 'null') ?? unanswered(made) });
    return { ...draft, assignments: draft.assignments.map(kept) };
  }
  const before = new Set(draft.before.split('\n'));
  const kept = (/** @type {string} */ line) => (line.trim() === '' || before.has(line) ? line : pieces.get(line) ?? RETYPE);
  return { ...draft, text: draft.text.split('\n').map(kept).join('\n') };
}

/**
 * What is kept of an assignment without an answer. Its path may find an entry by a URL.
 * @param {Assignment} made
 */
function unanswered({ path, value }) {
  return { path: /[=@]/.test(path) ? RETYPE : path, value: value === 'remove' ? value : VALUE };
}

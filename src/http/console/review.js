// From an edit to a change: the server merges it with what others changed, and shows the diff; exactly that is made. Where
// both changed the same, one chooses.

import { Problem, accepting } from './api.js';
import { commandOf } from './command.js';
import { requestOf } from './draft.js';
import { el } from './dom.js';
import { pointerOf, textOf } from './path.js';

/**
 * @typedef {import('./api.js').Api} Api
 * @typedef {import('./draft.js').Draft} Draft
 * @typedef {'theirs' | 'mine'} Side
 */

/** @typedef {{ why: string, confirm: number, accepted: string[] }} Wanted `accepted` are names of guards */

/**
 * The outcome of a review: the clash, or the diff, the command for the shell, and the new name of the login, if it gets one.
 * `target` is the revision that the edit is brought to.
 * @typedef {{ draft: Draft, target: string, clash?: Problem, diff: string, command: string, login?: string, notes: string[] }} Review
 */

/**
 * Asks for the diff of an edit with what is there now: where the file was edited by hand, with the file, so that the edit by
 * hand stays.
 * @param {Api} api
 * @param {Draft} draft
 * @param {Wanted} wanted
 * @param {AbortSignal} [signal]
 * @returns {Promise<Review>}
 */
export async function review(api, draft, wanted, signal) {
  const { body: { revisions, state } } = await api.get('status', {}, { signal });
  const isFile = state.includes('edited-by-hand') && !state.includes('broken');
  const target = isFile ? revisions.file : revisions.running;
  try {
    const { body: { diff, values }, notes } = await send(api, draft, wanted, { dry_run: true, tell: { diff: true, values: true } }, signal);
    const named = values.find((/** @type {{ keys: string[] }} */ { keys }) => keys.join('.') === 'edit_auth.login');
    return { draft, target, diff: diff.join('\n'), command: commandOf(api.base, draft, wanted, diff, values), login: named?.after, notes };
  } catch (error) {
    const isClash = error instanceof Problem && (error.name === 'stale' || (error.name === 'conflict' && error.details.length > 0));
    if (!isClash) throw error;
    return { draft, target, clash: error, diff: '', command: '', notes: [] };
  }
}

/**
 * Makes the change of an edit, or only rehearses it.
 * @param {Api} api
 * @param {Draft} draft
 * @param {Wanted} wanted
 * @param {object} how
 * @param {AbortSignal} [signal]
 */
export function send(api, draft, { why, confirm, accepted }, how, signal) {
  const options = { message: why || null, confirm: Number(confirm) || null, ...accepting(accepted), base: draft.base || null };
  return api.post('change', { secrets: 'masked' }, { operation: requestOf(draft), options: { ...options, ...how } }, { signal });
}

/**
 * The edit after a choice; `null` if nothing is left of it. Of values, those that nobody else changed stay.
 * @param {Review} found
 * @param {Side} side
 * @returns {Draft | null}
 */
export function settled({ draft, target, clash }, side) {
  if (side === 'mine') return { ...draft, base: target };
  const theirs = clash?.details.flatMap(({ pointer }) => pointer ?? []) ?? [];
  if (draft.kind === 'text' || theirs.length === 0) return null;
  const isWithin = (/** @type {string} */ pointer, /** @type {string} */ outer) => `${pointer}/`.startsWith(`${outer}/`);
  const isTheirs = (/** @type {string} */ pointer) => theirs.some((their) => isWithin(their, pointer) || isWithin(pointer, their));
  const assignments = draft.assignments.filter(({ path }) => !isTheirs(pointerOf(path)));
  return assignments.length ? { ...draft, assignments, base: target } : null;
}

/**
 * What both changed, each in its own way, and the choice.
 * @param {Review & { clash: Problem }} found
 * @param {(side: Side) => void} choose
 */
export function clashView({ draft, clash: { details, message } }, choose) {
  const button = (/** @type {Side} */ side, /** @type {string} */ word) => el('button', { value: side, onclick: () => choose(side) }, word);
  return el('section.clashes', { 'aria-label': 'Changed by somebody else, too' },
    el('p.warning', details.some(({ pointer }) => pointer) ? 'Somebody else has changed the same since you began.' : `${message}.`),
    details.map(({ pointer, line, base, theirs, mine }) => pointer ? el('dl.clash', el('dt', pointer),
      Object.entries({ Before: base, Theirs: theirs, Yours: mine }).map(([word, value]) => el('dd', word, ' ', valueView(value))))
      : line && el('p', `Line ${line}`)),
    el('p.quiet', draft.kind === 'text' ? '“Use mine” puts your text in the place of the whole entry.' : 'What only you changed stays with both.',
      ' You see the difference first.'),
    el('div.buttons', button('theirs', 'Use theirs'), button('mine', 'Use mine')));
}

/** @param {unknown} value */
function valueView(value) {
  const shown = textOf(value ?? '');
  return shown ? el('code', shown) : el('em', 'nothing');
}

// From edits to one change: first they are brought to the configuration as it is now, then the server shows the diff, and
// exactly that is made.

import { lacksTyped, requestOf } from './drafts.js';
import { chosen, merge } from './merge.js';
import { pointerOf, readAt } from './path.js';
import { MASK, MASKS } from './words.js';
import { Problem, accepting } from './api.js';

/**
 * @typedef {import('./api.js').Api} Api
 * @typedef {import('./state.js').Status} Status
 * @typedef {import('./drafts.js').Draft} Draft
 * @typedef {import('./drafts.js').Drafts} Drafts
 * @typedef {import('./drafts.js').TextDraft} TextDraft
 * @typedef {import('./drafts.js').ValuesDraft} ValuesDraft
 * @typedef {'theirs' | 'mine'} Side
 */

/**
 * The configuration that edits are brought to.
 * @typedef {{ revision: string, source: 'running' | 'saved' }} Target
 */

/**
 * What edits are brought to, with what, and the guards that are accepted.
 * @typedef {{ api: Api, drafts: Drafts, target: Target, accepted: string[], signal: AbortSignal | undefined }} Work
 */

/**
 * A value that was changed here and by somebody else: the three values, as JSON or lines of the text, and what the choices
 * make of the edit.
 * @typedef {{ what: string, base: unknown, theirs: unknown, mine: unknown }} Question
 * @typedef {{ questions: Question[], settle: (choices: Side[]) => void }} Clash
 */

/**
 * The outcome of a review: what has to be chosen first, or the diff of the edits of `list`, the
 * command for the shell, and the new name of the login, if it gets one.
 * @typedef {{ clashes: Clash[], diff: string, command: string, login?: string, notes: string[], target: Target, list: readonly Draft[] }} Review
 */

/** @typedef {{ why: string, confirm: number, accepted: string[] }} Wanted `accepted` are names of guards */

/**
 * What is to be changed: where the file was edited by hand, the file, so that the edit by hand stays.
 * @param {Status} status
 * @returns {Target}
 */
function targetOf({ revisions, state }) {
  const isFile = state.includes('edited-by-hand') && !state.includes('broken');
  return isFile ? { revision: revisions.file, source: 'saved' } : { revision: revisions.running, source: 'running' };
}

/**
 * Brings all edits to what is there now, and asks for their diff.
 * @param {Api} api
 * @param {Drafts} drafts
 * @param {Wanted} wanted
 * @param {AbortSignal} [signal]
 * @returns {Promise<Review>}
 */
export async function review(api, drafts, wanted, signal) {
  if (lacksTyped(drafts.list)) {
    throw new Problem(0, 'retype', '<secret:retype> stands for what was not kept: type it again, or discard the edit.');
  }
  const target = targetOf((await api.get('status', {}, { signal })).body);
  const work = { api, drafts, target, accepted: wanted.accepted, signal };
  const clashes = [];
  for (const draft of drafts.list) {
    const clash = draft.kind === 'text' ? await textBroughtTo(work, draft) : await valuesBroughtTo(work, draft);
    if (!clash) continue;
    if (clash.questions.length > 0) clashes.push(clash);
    else clash.settle([]);
  }
  const { list } = drafts;
  if (clashes.length > 0 || list.length === 0) return { clashes, diff: '', command: '', notes: [], target, list };
  const { body: { diff, command, values }, notes } = await send(api, list, target, wanted, { dry_run: true, tell: 'command' }, signal);
  const named = values.find((/** @type {{ keys: string[] }} */ { keys }) => keys.join('.') === 'edit_auth.login');
  return { clashes, diff: diff.join('\n'), command, login: named?.after, notes, target, list };
}

/**
 * The request of one edit, with all secrets masked. A text may have errors; any other edit is rehearsed.
 * @param {Api} api
 * @param {Draft} draft
 * @param {AbortSignal} [signal]
 * @param {string[]} [accepted]
 */
export async function maskedRequest(api, draft, signal, accepted = []) {
  if (draft.kind === 'text' && !draft.isGone) {
    const { body } = await api.post('check_config', { path: draft.path, secrets: 'masked' }, draft.text, { signal });
    return requestOf([{ ...draft, text: body.sent }]);
  }
  const query = { ...accepting(accepted), base: draft.base, secrets: 'keep', dry_run: true, tell: 'sent' };
  return (await api.post('change', query, requestOf([draft]), { signal })).body.sent;
}

/**
 * Makes the change that was reviewed, and no other; or only rehearses it. Masks stand for the secrets that they hide.
 * @param {Api} api
 * @param {readonly Draft[]} list
 * @param {Target} target
 * @param {Wanted} wanted
 * @param {import('./api.js').Query} [query]
 * @param {AbortSignal} [signal]
 */
export function send(api, list, { revision }, { why, confirm, accepted }, query, signal) {
  const how = { message: why, confirm, ...accepting(accepted), base: revision, revision, secrets: 'keep' };
  return api.post('change', { ...how, ...query }, requestOf(list), { signal });
}

/**
 * What a text becomes: nothing, if the entry has it already.
 * @param {Work} work
 * @param {TextDraft} draft
 * @returns {Promise<Clash | undefined>}
 */
async function textBroughtTo({ api, drafts, target, signal }, draft) {
  const isOld = draft.base !== target.revision;
  if (!isOld && !MASK.test(draft.text)) return undefined;
  const theirs = await entryText(api, draft.path, target.source, signal);
  if (!isOld && (draft.before === theirs || draft.isGone)) return undefined;
  const again = remasked(drafts.beforeOf(draft), theirs);
  const [before, mine] = [again(drafts.beforeOf(draft)), again(draft.text)];
  // A line that is typed as it was, after others changed it, is wanted so.
  const parts = merge(before, theirs, mine, isOld && mine === before);
  const now = { base: target.revision, isGone: !theirs };
  const clashes = parts.flatMap((part) => ('lines' in part ? [] : part));
  if (clashes.length > 0) await maskedRequest(api, { ...draft, ...now }, signal).then((sent) => drafts.answered(draft, sent), () => {});
  const lines = (/** @type {string[]} */ each) => each.join('\n');
  // What was typed may be a secret: no more of it is shown than is kept.
  const questions = clashes.map((clash) => ({ what: draft.path, base: lines(clash.base), theirs: lines(clash.theirs),
    mine: drafts.keptOf({ ...draft, before, text: lines(clash.mine) }).text }));
  const settle = (/** @type {Side[]} */ choices) => {
    const text = chosen(parts, choices);
    drafts.replace(draft, text !== theirs && { ...draft, ...now, text, before: theirs || draft.before });
  };
  return { questions, settle };
}

/**
 * What values become: those of which another one was chosen are left out.
 * @param {Work} work
 * @param {ValuesDraft} draft
 * @returns {Promise<Clash | undefined>}
 */
async function valuesBroughtTo(work, draft) {
  const { api, drafts, target, accepted, signal } = work;
  if (draft.base === target.revision) return undefined;
  /** @type {Question[]} */
  let questions = [];
  try {
    await maskedRequest(api, draft, signal, accepted);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.name === 'stale') questions = await compared(work, draft);
    if (error.name === 'conflict') questions = error.details.flatMap(({ pointer, base, theirs, mine }) => pointer ? { what: pointer, base, theirs, mine } : []);
    if (error.name !== 'stale' && questions.length === 0) throw error;
  }
  const settle = (/** @type {Side[]} */ choices) => {
    const given = questions.filter((_, at) => choices[at] !== 'mine');
    const isGiven = (/** @type {string} */ pointer) => given.some(({ what }) => isWithin(what, pointer) || isWithin(pointer, what));
    const assignments = draft.assignments.filter(({ path }) => !isGiven(pointerOf(path)));
    drafts.replace(draft, { ...draft, assignments, base: target.revision });
  };
  return { questions, settle };
}

/**
 * Where the server keeps no text that the edit was made of, each value is compared with the one that the edit has.
 * @param {Work} work
 * @param {ValuesDraft} draft
 * @returns {Promise<Question[]>}
 */
async function compared({ api, drafts, target, signal }, draft) {
  const { body } = await api.get('read_config', { secrets: 'masked', source: target.source }, { signal });
  // What was typed may be a secret: no more of it is shown than is kept.
  return drafts.keptOf(draft).assignments.flatMap(({ path, value, before }) => {
    const theirs = readAt(body, path);
    if (before === undefined || unmasked(JSON.stringify(before)) === unmasked(JSON.stringify(theirs))) return [];
    return { what: pointerOf(path), base: before, theirs, mine: value === 'remove' ? '' : Object.values(value)[0] };
  });
}

/** A text in which all masks are alike: another run of the server has others for the same secrets. @param {string} text */
function unmasked(text) {
  return text.replace(MASKS, '\0');
}

/**
 * A server that was started again has other masks for the same secrets: what puts them in the place of the old ones.
 * @param {string} before
 * @param {string} theirs
 * @returns {(text: string) => string}
 */
export function remasked(before, theirs) {
  const lines = new Map(theirs.split('\n').map((line) => [unmasked(line), line]));
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const line of before.split('\n')) {
    const now = lines.get(unmasked(line))?.match(MASKS) ?? [];
    (line.match(MASKS) ?? []).forEach((mask, at) => { if (!theirs.includes(mask)) found.set(mask, now[at] ?? mask); });
  }
  return (text) => text.replace(MASKS, (mask) => found.get(mask) ?? mask);
}

/**
 * @param {string} pointer
 * @param {string} outer
 */
function isWithin(pointer, outer) {
  return `${pointer}/`.startsWith(`${outer}/`);
}

/**
 * The text of an entry now, masked; empty if it is gone.
 * @param {Api} api
 * @param {string} path
 * @param {string} source
 * @param {AbortSignal} [signal]
 */
async function entryText(api, path, source, signal) {
  try {
    return (await api.get('read_config', { path, format: 'conf', secrets: 'masked', source }, { signal })).body;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return '';
    throw error;
  }
}

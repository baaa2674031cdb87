// From edits to one change: first they are brought to the configuration as it is now, then the server shows the diff, and
// exactly that is made.

import { lacksSecret, requestOf } from './drafts.js';
import { chosen, isClean, merge } from './merge.js';
import { pointerOf, readAt, textOf } from './path.js';
import { MASK, MASKS } from './words.js';
import { Problem, tagOf } from './api.js';

/**
 * @typedef {import('./api.js').Api} Api
 * @typedef {import('./state.js').Status} Status
 * @typedef {import('./drafts.js').Draft} Draft
 * @typedef {import('./drafts.js').Drafts} Drafts
 * @typedef {import('./drafts.js').ValuesDraft} ValuesDraft
 * @typedef {'theirs' | 'mine'} Side
 */

/**
 * The configuration that edits are brought to.
 * @typedef {{ revision: string, source: 'running' | 'saved', tag: string }} Target
 */

/**
 * What edits are brought to, and with what.
 * @typedef {{ api: Api, drafts: Drafts, target: Target, signal: AbortSignal | undefined }} Work
 */

/**
 * A value that was changed here and by somebody else: the three values, and what each choice makes of the edit.
 * @typedef {{ what: string, base: string, theirs: string, mine: string }} Question
 * @typedef {{ questions: Question[], settle: (choices: Side[]) => void }} Clash
 */

/**
 * The outcome of a review: what has to be chosen first, or the diff of the edits of `list`, and what was `sent` for it, with
 * its secrets masked.
 * @typedef {{ clashes: Clash[], diff: string, sent: any, notes: string[], target: Target, list: readonly Draft[] }} Review
 */

/** @typedef {{ why: string, confirm: number, accepted: string[] }} Wanted `accepted` are names of guards */

/**
 * What is to be changed: where the file was edited by hand, the file, so that the edit by hand stays.
 * @param {Status} status
 * @returns {Target}
 */
function targetOf({ revisions, state, versions }) {
  const source = state.includes('edited-by-hand') && !state.includes('broken') ? 'saved' : 'running';
  const revision = source === 'saved' ? revisions.file : revisions.running;
  return { revision, source, tag: tagOf(revision, versions) };
}

/**
 * Brings all edits to what is there now, and asks for their diff.
 * @param {Api} api
 * @param {Drafts} drafts
 * @param {string[]} accepted names of guards
 * @param {AbortSignal} [signal]
 * @returns {Promise<Review>}
 */
export async function review(api, drafts, accepted, signal) {
  const { body: status } = await api.get('status', {}, { signal });
  const target = targetOf(status);
  const work = { api, drafts, target, signal };
  const clashes = [];
  for (const draft of drafts.list.filter((each) => each.base !== target.revision || hasMask(each))) {
    const clash = await broughtTo(work, draft);
    if (clash) clashes.push(clash);
  }
  const { list } = drafts;
  if (clashes.length > 0 || list.length === 0) return { clashes, diff: '', sent: {}, notes: [], target, list };
  const query = { dry_run: true, tell: 'diff,sent', accept: accepted.join() || null };
  const { body: { diff, sent }, notes } = await send(api, list, target, query, signal);
  return { clashes, diff: diff.join('\n'), sent, notes, target, list };
}

/**
 * What one edit would change, and its request, with all secrets masked.
 * @param {Api} api
 * @param {Draft} draft
 * @param {AbortSignal} [signal]
 */
export async function rehearsed(api, draft, signal) {
  const query = { base: draft.base || null, secrets: 'keep', dry_run: true, tell: 'sent' };
  return (await api.post('change', query, requestOf([draft]), { signal })).body;
}

/**
 * Makes the change that was reviewed, and no other.
 * @param {Api} api
 * @param {readonly Draft[]} list
 * @param {Target} target
 * @param {Wanted} wanted
 */
export function apply(api, list, target, { why, confirm, accepted }) {
  return send(api, list, target, { message: why || null, confirm: confirm || null, accept: accepted.join() || null });
}

/**
 * Masks stand for the secrets that they hide.
 * @param {Api} api
 * @param {readonly Draft[]} list
 * @param {Target} target
 * @param {import('./api.js').Query} query
 * @param {AbortSignal} [signal]
 */
function send(api, list, { revision, tag }, query, signal) {
  if (list.some(lacksSecret)) {
    throw new Problem(0, 'retype', 'A secret that was typed is not kept by the browser: type it again, or discard the edit.');
  }
  return api.post('change', { ...query, base: revision, secrets: 'keep' }, requestOf(list), { ifMatch: tag, signal });
}

/**
 * @param {Work} work
 * @param {Draft} draft
 * @returns {Promise<Clash | undefined>}
 */
async function broughtTo(work, draft) {
  if (draft.kind === 'values') return valuesBroughtTo(work, draft);
  const { api, drafts, target, signal } = work;
  const theirs = await entryText(api, draft.path, target.source, signal);
  if (draft.base === target.revision && (draft.before === theirs || draft.isGone)) return undefined;
  const again = remasked(drafts.beforeOf(draft), theirs);
  const [before, mine] = [again(drafts.beforeOf(draft)), again(draft.text)];
  // A line that is typed as it was, after others changed it, is wanted so.
  const parts = merge(before, theirs, mine, mine === before && draft.base !== target.revision);
  const settle = (/** @type {Side[]} */ choices) => {
    // What was typed meanwhile is brought there by the next review.
    if (drafts.find(draft.id) !== draft) return;
    const text = chosen(parts, choices);
    if (text === theirs) drafts.discard(draft.id);
    else drafts.put({ ...draft, text, before: theirs || draft.before, base: target.revision, isGone: theirs === '' });
  };
  if (isClean(parts)) return void settle([]);
  const questions = parts.flatMap((part) => 'lines' in part ? [] : {
    what: draft.path,
    base: part.base.join('\n'),
    theirs: part.theirs.join('\n'),
    mine: part.mine.join('\n'),
  });
  return { questions, settle };
}

/**
 * @param {Work} work
 * @param {ValuesDraft} draft
 * @returns {Promise<Clash | undefined>}
 */
async function valuesBroughtTo(work, draft) {
  const { api, target, signal } = work;
  if (draft.base === target.revision) return undefined;
  try {
    await rehearsed(api, draft, signal);
  } catch (error) {
    const clash = error instanceof Problem && error.name === 'conflict' ? clashOf(work, draft, error) : undefined;
    if (clash) return clash;
    if (!(error instanceof Problem) || error.name !== 'stale') throw error;
    return valuesCompared(work, draft);
  }
  return rebased(work, draft);
}

/**
 * The edit is one of the target from now on; what was typed meanwhile is brought there by the next review.
 * @param {Work} work
 * @param {ValuesDraft} draft
 */
function rebased({ drafts, target }, draft) {
  if (drafts.find(draft.id) === draft) drafts.put({ ...draft, base: target.revision });
  return undefined;
}

/** @param {Draft} draft */
function hasMask(draft) {
  return draft.kind === 'text' && MASK.test(draft.text);
}

/**
 * A server that was started again has other masks for the same secrets: what puts them in the place of the old ones.
 * @param {string} before
 * @param {string} theirs
 * @returns {(text: string) => string}
 */
export function remasked(before, theirs) {
  const lines = new Map(theirs.split('\n').map((line) => [line.replace(MASKS, '\0'), line]));
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const line of before.split('\n')) {
    const now = lines.get(line.replace(MASKS, '\0'))?.match(MASKS) ?? [];
    (line.match(MASKS) ?? []).forEach((mask, at) => { if (!theirs.includes(mask)) found.set(mask, now[at] ?? mask); });
  }
  return (text) => text.replace(MASKS, (mask) => found.get(mask) ?? mask);
}

/**
 * @param {Work} work
 * @param {ValuesDraft} draft
 * @param {Problem} problem
 * @returns {Clash | undefined}
 */
function clashOf(work, draft, problem) {
  const faults = problem.details.filter(({ pointer }) => pointer);
  if (faults.length === 0) return undefined;
  return questioned(work, draft, faults.map(({ pointer, base, theirs, mine }) => ({
    what: String(pointer), base: shown(base), theirs: shown(theirs), mine: shown(mine),
  })));
}

/**
 * A value as JSON in which all masks are alike: another run of the server has others for the same secrets.
 * @param {unknown} value
 */
function unmasked(value) {
  return JSON.stringify(value).replace(MASKS, '\0');
}

/**
 * Where the server keeps no text that the edit was made of, each value is compared with the one that the edit has.
 * @param {Work} work
 * @param {ValuesDraft} draft
 */
async function valuesCompared(work, draft) {
  const { api, target, signal } = work;
  const { body } = await api.get('read_config', { secrets: 'masked', source: target.source }, { signal });
  const questions = draft.assignments.flatMap(({ path, value, before }) => {
    const theirs = readAt(body, path);
    if (before === undefined || unmasked(before) === unmasked(theirs)) return [];
    const mine = value === 'remove' ? '' : String(Object.values(value)[0]);
    return { what: pointerOf(path), base: shown(before), theirs: shown(theirs), mine };
  });
  if (questions.length > 0) return questioned(work, draft, questions);
  return rebased(work, draft);
}

/**
 * @param {Work} work
 * @param {ValuesDraft} draft
 * @param {Question[]} questions
 * @returns {Clash}
 */
function questioned({ drafts, target }, draft, questions) {
  const settle = (/** @type {Side[]} */ choices) => {
    const given = new Set(questions.filter((_, at) => choices[at] !== 'mine').map(({ what }) => what));
    const isGiven = (/** @type {string} */ pointer) => [...given].some((lost) => isWithin(lost, pointer) || isWithin(pointer, lost));
    const assignments = draft.assignments.filter(({ path }) => !isGiven(pointerOf(path)));
    if (assignments.length === 0) drafts.discard(draft.id);
    else drafts.put({ ...draft, assignments, base: target.revision });
  };
  return { questions, settle };
}

/**
 * @param {string} pointer
 * @param {string} outer
 */
function isWithin(pointer, outer) {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}

/** @param {unknown} value */
function shown(value) {
  return value === undefined || value === null ? '' : textOf(value);
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

// Reads the status and the configuration into the state.

import { NO_CONNECTION, Problem, revisionOf } from './api.js';
import { rowsOf } from './rows.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Status} Status */

/**
 * Reads both at once: the first look at the server.
 * @param {State} state
 */
export async function load(state) {
  const [status] = await Promise.all([state.api.get('status'), loadConfig(state)]);
  takeStatus(state, status.body);
  return status.etag;
}

/**
 * What is known after a change was made here. While it is still being made, the server counts the time for that, too, so a
 * status may tell of more time than was asked for.
 * @param {string | null} pending its ID, if it has to be confirmed
 * @param {number} seconds after which it goes back
 */
export function appliedFacts(pending, seconds) {
  return pending ? { applied: pending, deadline: deadlineIn(seconds) } : { applied: null };
}

/** @param {number} seconds */
function deadlineIn(seconds) {
  return performance.now() + seconds * 1000;
}

/**
 * The sooner one: a change that is known never gets more time.
 * @param {number | null} known
 * @param {number} told
 */
function sooner(known, told) {
  return known === null ? told : Math.min(known, told);
}

/**
 * Takes a status over into the state.
 * @param {State} state
 * @param {Status} status
 */
export function takeStatus(state, status) {
  const { pending } = status;
  const isKnown = pending !== null && (pending.id === state.applied || pending.id === state.status?.pending?.id);
  const deadline = pending ? sooner(isKnown ? state.deadline : null, deadlineIn(pending.seconds_left)) : null;
  state.set({ status, role: status.role, login: status.login, deadline, isConnected: true });
}

/**
 * Reads the configuration that runs; a file that cannot be read as one leaves what was known.
 * @param {State} state
 */
export async function loadConfig(state) {
  const answer = await state.api.getKept('read_config', { secrets: 'masked' });
  const revision = revisionOf(answer.etag);
  if (revision === state.revision && state.config) return;
  state.set({ config: answer.body, rows: rowsOf(answer.body), revision });
}

/** True if there was no answer at all. @param {unknown} error */
export function isLost(error) {
  return error instanceof Problem && error.name === NO_CONNECTION;
}

// Reads the status and the configuration into the state.

import { NO_CONNECTION, Problem } from './api.js';
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
 * Takes a status over into the state.
 * @param {State} state
 * @param {Status} status
 */
export function takeStatus(state, status) {
  const { pending } = status;
  const deadline = pending ? performance.now() + pending.seconds_left * 1000 : null;
  state.set({ status, role: status.role, login: status.login, deadline, isConnected: true });
}

/**
 * Reads the configuration that runs; a file that cannot be read as one leaves what was known.
 * @param {State} state
 */
export async function loadConfig(state) {
  const answer = await state.api.getKept('read_config', { secrets: 'masked' });
  const revision = answer.etag?.replace(/^(W\/)?"/, '').split(/[-"]/)[0] ?? null;
  if (revision === state.revision && state.config) return;
  state.set({ config: answer.body, rows: rowsOf(answer.body), revision });
}

/** True if there was no answer at all. @param {unknown} error */
export function isLost(error) {
  return error instanceof Problem && error.name === NO_CONNECTION;
}

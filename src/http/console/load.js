// Reads the status and the configuration into the state, and follows the server: one request waits for the next status.

import { NO_CONNECTION, asProblem } from './api.js';
import { rowsOf } from './rows.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Status} Status */

/** Reads both at once: the first look at the server. @param {State} state */
export async function load(state) {
  const [{ body }] = await Promise.all([state.api.get('status'), loadConfig(state)]);
  takeStatus(state, body);
}

/**
 * Tells of a change that was made here. While it is still being made, the server counts the time for that, too, so a
 * status may tell of more time than was asked for.
 * @param {State} state
 * @param {string | null} applied its ID, if it has to be confirmed
 * @param {number} seconds after which it goes back
 * @param {string} [newLogin] the name that it gives to the login
 */
export function tellApplied(state, applied, seconds, newLogin = '') {
  state.set({ applied, deadline: applied ? deadlineIn(seconds) : null, newLogin });
  state.announce(`Applied. ${applied ? `It goes back in ${seconds} seconds unless you keep it.` : ''}`);
}

const deadlineIn = (/** @type {number} */ seconds) => performance.now() + seconds * 1000;

/** Takes a status over into the state. A change that is known never gets more time. @param {State} state @param {Status} status */
function takeStatus(state, status) {
  const { pending, role, login } = status;
  const isKnown = pending && [state.applied, state.status?.pending?.id].includes(pending.id);
  const most = (isKnown && state.deadline) || Infinity;
  const deadline = pending && Math.min(most, deadlineIn(pending.seconds_left));
  state.set({ status, role, login, deadline, isConnected: true });
}

/** Reads the configuration that runs; a file that cannot be read as one leaves what was known. @param {State} state */
async function loadConfig(state) {
  const { body, revision } = await state.api.getKept('read_config', { secrets: 'masked' });
  if (body !== state.config) state.set({ config: body, rows: rowsOf(body), revision });
}

/** The time that a request for the status waits, in seconds; the server allows 60. */
const WAIT = 55;

/** The pause after a failure, in milliseconds, which doubles with each one, and the longest. */
const PAUSE = 500;
const LONGEST_PAUSE = 8000;

let following = new AbortController();

/** Follows no server any more. */
export function stop() {
  following.abort();
}

/** Follows the server from now on. @param {State} state */
export async function follow(state) {
  stop();
  following = new AbortController();
  const { signal } = following;
  addEventListener('online', () => follow(state), { signal });
  /** @type {string | null} */
  let etag = null;
  let failure = PAUSE;
  while (!signal.aborted) {
    let pause = failure;
    try {
      const answer = await state.api.get('status', { wait: etag && WAIT }, { ifNoneMatch: etag, signal });
      // A server that was started again has other masks.
      const isBack = !state.isConnected;
      if (isBack) state.api.forget();
      if (answer.status !== 304) takeStatus(state, answer.body);
      if (isBack || state.status?.revisions.running !== state.revision) await loadConfig(state);
      etag = answer.etag;
      failure = PAUSE;
      pause = answer.retryAfter * 1000;
    } catch (error) {
      const { status, name } = asProblem(error);
      if (status === 401) return state.set({ needsPassword: true });
      if (name === NO_CONNECTION) state.set({ isConnected: false });
      etag = null;
      failure = Math.min(failure * 2, LONGEST_PAUSE);
    }
    await new Promise((done) => { setTimeout(done, pause); });
  }
}

// Reads the status and the configuration into the state, and follows the server: one request waits for the next status.

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
  if (answer.body === state.config) return;
  state.set({ config: answer.body, rows: rowsOf(answer.body), revision: revisionOf(answer.etag) });
}

/** True if there was no answer at all. @param {unknown} error */
export function isLost(error) {
  return error instanceof Problem && error.name === NO_CONNECTION;
}

/** The time that a request for the status waits, in seconds; the server allows 60. */
const WAIT = 55;

/** The pauses after failures, in milliseconds; the last one stays. */
const PAUSES = [500, 1000, 2000, 4000, 8000];

export class Poll {
  /** @type {AbortController | null} */
  #running = null;
  /** @type {string | null} */
  #etag = null;

  /** @param {State} state */
  constructor(state) {
    this.state = state;
  }

  start() {
    this.stop();
    const running = new AbortController();
    this.#running = running;
    addEventListener('online', () => this.start(), { signal: running.signal });
    this.#follow(running.signal);
  }

  stop() {
    this.#running?.abort();
    this.#running = null;
    this.#etag = null;
  }

  /** @param {AbortSignal} signal */
  async #follow(signal) {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const pause = await this.#next(signal);
        failures = 0;
        await passed(pause, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isLost(error)) this.state.set({ isConnected: false });
        if (error instanceof Problem && error.status === 401) {
          this.state.set({ needsPassword: true });
          return;
        }
        this.#etag = null;
        await passed(PAUSES[Math.min(failures, PAUSES.length - 1)], signal);
        failures += 1;
      }
    }
  }

  /** Waits for one status; returns the pause that the server asks for. @param {AbortSignal} signal */
  async #next(signal) {
    const wait = this.#etag ? WAIT : null;
    const answer = await this.state.api.get('status', { wait }, { ifNoneMatch: this.#etag, signal, longest: (WAIT + 20) * 1000 });
    if (signal.aborted) return 0;
    this.#etag = answer.etag;
    const { state } = this;
    if (!state.isConnected) {
      // A server that was started again has other masks.
      state.api.forget();
      await loadConfig(state);
    }
    if (answer.status !== 304) takeStatus(state, answer.body);
    if (state.status?.revisions.running !== state.revision) await loadConfig(state);
    return Number(answer.headers.get('Retry-After')) * 1000 || 0;
  }
}

/**
 * @param {number} time in milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function passed(time, signal) {
  if (!time) return Promise.resolve();
  return new Promise((done) => {
    const timer = setTimeout(done, time);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    }, { once: true });
  });
}

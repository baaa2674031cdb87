// Follows the server: one request waits for the next status, and the configuration is read again when it is another.

import { Problem } from './api.js';
import { isLost, loadConfig, takeStatus } from './load.js';

/** @typedef {import('./state.js').State} State */

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
    if (answer.status === 304) this.state.set({ isConnected: true });
    else {
      takeStatus(this.state, answer.body);
      if (answer.body.revisions.running !== this.state.revision) await loadConfig(this.state);
    }
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

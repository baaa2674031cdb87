// Asks the server after each edit what of it holds a secret, so that the rest is kept over a reload.

import { rehearsed } from './review.js';
import { lacksSecret } from './drafts.js';

/** @typedef {import('./state.js').State} State */

/** The time after the last edit at which the server is asked, in milliseconds. */
const PAUSE = 400;

/** @param {State} state */
export function attach(state) {
  const { api, drafts } = state;
  /** What was asked for, by id. @type {Map<string, import('./drafts.js').Draft>} */
  const asked = new Map();
  let timer = 0;
  let request = new AbortController();

  async function ask() {
    const { signal } = request;
    for (const draft of drafts.list) {
      if (signal.aborted || !state.mayEdit || state.needsPassword) return;
      if (asked.get(draft.id) === draft || draft.base === '' || lacksSecret(draft)) continue;
      try {
        drafts.answered(draft, (await rehearsed(api, draft, signal)).sent);
        asked.set(draft.id, draft);
      } catch {
        // Without an answer nothing that was typed is kept.
      }
    }
  }

  const askLater = () => {
    request.abort();
    request = new AbortController();
    clearTimeout(timer);
    timer = window.setTimeout(() => void ask(), PAUSE);
  };
  drafts.subscribe(askLater);
  state.subscribe(['role', 'isConnected'], askLater);
}

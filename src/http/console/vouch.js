// Asks the server after each edit what of it holds a secret, so that the rest is kept over a reload.

import { later } from './dom.js';
import { maskedRequest } from './review.js';
import { lacksTyped } from './drafts.js';

/** @typedef {import('./state.js').State} State */

/** The time after the last edit at which the server is asked, in milliseconds. */
const PAUSE = 400;

/** @param {State} state */
export function attach(state) {
  const { api, drafts } = state;
  /** Those that the server has answered. @type {WeakSet<import('./drafts.js').Draft>} */
  const shown = new WeakSet();
  const ask = later(PAUSE, async () => {
    for (const draft of drafts.list) {
      if (!state.mayEdit || state.needsPassword) return;
      if (shown.has(draft) || lacksTyped([draft])) continue;
      try {
        // Where others changed the same, the edit is as if it were made of what they left.
        drafts.answered(draft, await maskedRequest(api, { ...draft, base: state.revision ?? '' }));
        shown.add(draft);
      } catch {
        // Without an answer nothing that was typed is kept.
      }
    }
  });
  drafts.subscribe(ask);
  state.subscribe(['role', 'config', 'isConnected'], ask);
}

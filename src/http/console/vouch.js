// Asks the server after each edit what of it holds a secret, so that the rest is kept over a reload.

import { later } from './dom.js';
import { rehearsed } from './review.js';
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
        // Where others changed the same, the server is asked as if the edit were made of what they left.
        const { sent } = await rehearsed(api, draft).catch(() => rehearsed(api, { ...draft, base: state.revision ?? '' }));
        drafts.answered(draft, sent);
        shown.add(draft);
      } catch {
        // Without an answer nothing that was typed is kept.
      }
    }
  });
  drafts.subscribe(ask);
  state.subscribe(['role', 'config', 'isConnected'], ask);
}

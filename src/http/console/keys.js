// Keys that hold everywhere.

/** @typedef {import('./state.js').State} State */

/** @param {State} _state */
export function listen(_state) {}

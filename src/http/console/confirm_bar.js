// The bar of a pending change: the countdown of the server, and the two ways to end it.

/**
 * @param {HTMLElement} _bar
 * @param {import('./state.js').State} _state
 */
export function attach(_bar, _state) {}

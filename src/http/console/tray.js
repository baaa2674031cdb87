// The tray: the edits that are not sent yet.

/**
 * @param {HTMLElement} _tray
 * @param {import('./state.js').State} _state
 */
export function attach(_tray, _state) {}

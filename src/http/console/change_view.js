// A change of the configuration in a list: its number and time, who made it, why, and what it changed.

import { el } from './dom.js';
import { timeView } from './figures.js';

/**
 * @typedef {{ serial: number, at: string, operation: string, by: string | null, message: string | null, aside?: boolean }} Change
 */

/**
 * @param {Change} change
 * @param {string | null | undefined} what it changed
 * @param {boolean} [isShown] if it is the one that is looked at
 */
export function changeView({ serial, at, by, operation, message, aside }, what, isShown) {
  return el('li', { 'aria-current': isShown && 'true' },
    el('a', { href: `#/history/${serial}` }, el('span.serial', `#${serial}`), timeView(at)),
    el('span.state', aside ? 'kept aside' : operation),
    el('span.by', by ?? 'the server'),
    message && el('span.message', message),
    what && el('code.paths.quiet', what));
}

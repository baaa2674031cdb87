// A request that failed, in words: what is wrong, where, and what to do.

import { el, fill } from './dom.js';
import { NO_CONNECTION, asProblem } from './api.js';
import { decoded } from './router.js';

/** The guards that may be accepted here, and what accepting means. @type {Record<string, string>} */
const GUARDS = {
  'would-remove-credentials': 'Remove these credentials anyway',
  'would-delete-streams': 'Delete these streams anyway',
  'form-change': 'Write it in the other form anyway',
  'near-miss': 'Use this name anyway',
  'empty-replacement': 'Empty it anyway',
  dangling: 'Remove it anyway',
};

/** What else helps, by the name of the problem. @type {Record<string, string>} */
const ADVICE = {
  [NO_CONNECTION]: 'Your edit is kept here. Nothing is sent until you say so.',
  pending: 'Another change waits to be kept or rolled back. Your edit is kept here.',
  'masked-value': 'Type the secret in the place of the mask.',
  'reload-failed': 'The change was rolled back. Your edit is kept here.',
};

/** What a change does in addition, by the word of the server. @type {Record<string, string>} */
const NOTES = {
  'found-hand-edit': 'The file was edited by hand. That edit takes effect with this change.',
  'overwrote-hand-edit': 'The file was edited by hand. That edit is overwritten; the history keeps it.',
  'saved-earlier-update': 'An earlier update is saved to the file with this change.',
  'other-change-pending': 'Another change waits to be kept or rolled back first.',
  'deleted-streams': 'Streams that are removed:',
  'inner-streams': 'Streams inside the removed blocks:',
  'renamed-uses': 'Places that refer to it and have the new name:',
  'new-warning': 'New warning:',
};

/** Notes of the server, such as `new-warning streams.cam1 …`, in words. @param {string[]} notes */
export function notesView(notes) {
  return notes.map((note) => {
    const [name = '', ...rest] = note.split(' ');
    return el('p.warning', [NOTES[name] ?? `${name.replaceAll('-', ' ')}:`, ...rest.map(decoded)].join(' '));
  });
}

/** A hint without what names the command line: of that, the page has a button, or an advice of its own. @param {string} [hint] */
export function hereOf(hint = '') {
  return hint.split(/(?<=[;?]) /).filter((part) => !/`(--|mediactl |\w+=)/.test(part)).join(' ').replace(/;$/, '');
}

/**
 * The words for a problem. `accept` is called with the name of a guard that is accepted.
 * @param {unknown} error
 * @param {(guard: string) => void} [accept]
 */
export function problemView(error, accept) {
  const { name, message, details } = asProblem(error);
  const guard = GUARDS[name];
  const items = details.map((fault) => faultItem(fault, fault.pointer ? el('code', fault.pointer) : fault.line && `line ${fault.line}`));
  return el('div.problem', { role: 'alert' },
    el('p', el('strong', message)),
    items.length > 0 && el('ul.faults', items),
    ADVICE[name] && el('p', ADVICE[name]),
    guard && accept && el('button', { onclick: () => accept(name) }, guard));
}

/**
 * Shows in a box what is made of an answer as soon as it is there, or why there is none.
 * @param {Element} box
 * @param {() => Promise<import('./dom.js').Child>} made
 * @param {(guard: string) => void} [accept]
 */
export async function showWhenRead(box, made, accept) {
  fill(box, el('p.quiet', 'Loading …'));
  fill(box, await made().catch((error) => problemView(error, accept)));
}

/**
 * A fault, as an item of a list.
 * @param {{ severity?: string, message: string, hint?: string }} fault
 * @param {import('./dom.js').Child} place where it is
 * @param {...import('./dom.js').Child} more
 */
export function faultItem({ severity, message, hint }, place, ...more) {
  return el('li', { class: severity }, severity && el('strong', severity === 'error' ? 'Error' : 'Warning'), place,
    el('span', message), el('span.hint', hereOf(hint)), more);
}

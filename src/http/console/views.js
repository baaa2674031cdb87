// What several views show: problems, notes, differences, and the form in front of a change.

import { VirtualRows, counted, decoded, el, fill, firstOf, timeView, told } from './base.js';
import { NO_CONNECTION, asProblem } from './server.js';

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
  pending: 'Your edit is kept here.',
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

/** Notes of the server, such as `new-warning streams.cam1 …`, in words; what is the same in many places once. @param {string[]} notes */
export function notesView(notes) {
  const said = notes.map((note) => {
    const [name = '', ...rest] = note.split(' ').map(decoded);
    const place = name === 'new-warning' ? [rest.shift()].filter((at) => at !== '-') : [];
    return { word: NOTES[name] ?? `${name.replaceAll('-', ' ')}:`, place, what: rest.join(' ') };
  });
  return Object.values(Object.groupBy(said, ({ word, what }) => word + what)).map(([first, ...more] = []) => first &&
    el('p.warning', [first.word, ...first.place, first.what, more.length > 0 && `and ${counted(more.length, 'other place')}`].filter(Boolean).join(' ')));
}

/** A hint without what names the command line: of that, the page has a button, or an advice of its own. @param {string} [hint] */
export function hereOf(hint = '') {
  return hint.split(/(?<=[;?]) /).filter((part) => !/`(--|mediactl |\w+=)/.test(part)).join(' ').replace(/;$/, '');
}

/**
 * The words for a problem. `accept` is called with the name of a guard that is accepted.
 * @param {unknown} error @param {(guard: string) => void} [accept]
 */
export function problemView(error, accept) {
  const { name, message, details } = asProblem(error);
  const guard = GUARDS[name];
  // What is the same in many places is said once.
  const alike = details.map(({ message: text }) => details.filter((fault) => fault.message === text));
  const items = details.flatMap((fault, at) => alike[at]?.[0] === fault ? faultItem(fault,
    fault.pointer ? el('code', fault.pointer) : fault.line && `line ${fault.line}`,
    (alike[at]?.length ?? 0) > 1 && el('span.quiet', `and ${counted((alike[at]?.length ?? 0) - 1, 'other place')}`)) : []);
  return el('div.problem', { role: 'alert' },
    !details.some((fault) => fault.message === message) && el('p', el('strong', message)),
    items.length > 0 && el('ul.faults', items),
    ADVICE[name] && el('p', ADVICE[name]),
    guard && accept && el('button', { onclick: () => accept(name) }, guard));
}

/**
 * Shows in a box what is made of an answer as soon as it is there, or why there is none.
 * @param {Element} box @param {() => Promise<import('./base.js').Child>} made @param {(guard: string) => void} [accept]
 */
export async function showWhenRead(box, made, accept) {
  fill(box, await told(box, made()).catch((error) => problemView(error, accept)));
}

/** Where a fault is: in this file a button that goes there. @param {{ line: number, file?: string }} fault @param {(line: number) => void} goTo */
export const placeView = ({ line, file }, goTo) => el('span', file ? `${file}, line ${line}` : el('button.link', { onclick: () => goTo(line) }, `Line ${line}`));

/**
 * A fault, as an item of a list.
 * @param {{ severity?: string, message: string, hint?: string }} fault @param {import('./base.js').Child} place where it is
 * @param {...import('./base.js').Child} more
 */
export function faultItem({ severity, message, hint }, place, ...more) {
  return el('li', { class: severity }, severity && el('strong', severity === 'error' ? 'Error' : 'Warning'), place,
    el('span', message), el('span.hint', hereOf(hint)), more);
}

/**
 * A line without its sign, with its numbers in the old and the new text.
 * @typedef {{ kind: 'hunk' | 'same' | 'added' | 'removed', text: string, before?: number, after?: number }} DiffLine
 */

/** What a line is, by its sign. @type {Record<string, DiffLine['kind']>} */
const KINDS = { ' ': 'same', '+': 'added', '-': 'removed' };

/** Reads a unified diff. @param {string} text @returns {DiffLine[]} */
export function diffLines(text) {
  const found = /** @type {DiffLine[]} */ ([]);
  let [before, after] = [0, 0];
  for (const line of text.split('\n')) {
    const hunk = /^@@ -(\d+).*? \+(\d+)/.exec(line);
    const kind = KINDS[line.charAt(0)];
    if (hunk) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      found.push({ kind: 'hunk', text: line });
    } else if (kind && found.length > 0) {
      found.push({ kind, text: line.slice(1), before: kind === 'added' ? undefined : before++, after: kind === 'removed' ? undefined : after++ });
    }
  }
  return found;
}

/** The counts of added and removed lines. @param {readonly DiffLine[]} lines */
export function counts(lines) {
  const count = (/** @type {string} */ kind) => lines.filter((line) => line.kind === kind).length;
  return { added: count('added'), removed: count('removed') };
}

/** Up to so many rows are all drawn. */
const ALL = 300;

/** The element that shows a diff. @param {string} text @returns {HTMLElement} */
export function diffView(text) {
  const lines = diffLines(text);
  const { added, removed } = counts(lines);
  const words = `${counted(added, 'line')} added, ${counted(removed, 'line')} removed`;
  const box = el('div.diff', { role: 'region', 'aria-label': `Difference: ${words}`, tabindex: 0 });
  if (lines.length <= ALL) {
    box.append(...lines.map(row));
  } else {
    box.classList.add('long');
    new VirtualRows(box, (index) => row(lines[index] ?? { kind: 'same', text: '' })).reset(lines.length);
  }
  return el('figure', el('figcaption', words), box);
}

/** @param {DiffLine} line */
function row({ kind, text, before, after }) {
  const sign = { added: '+', removed: '−' }[/** @type {string} */ (kind)];
  const unread = (/** @type {string} */ name, /** @type {string | number | undefined} */ shown) => el(`span.${name}`, { 'aria-hidden': 'true' }, shown);
  return el('div', { class: `line ${kind}` }, unread('number', before), unread('number', after),
    unread('sign', sign), sign && el('span.unseen', `${kind}: `), el('code', text));
}

/** The seconds after which a change goes back, unless another number is given. */
const UNDO = 120;

export class ApplyForm {
  /**
   * @param {string} word of the button @param {() => void} changed is called when one of the values is another one
   * @param {() => void} submitted @param {...import('./base.js').Child} more what stands in front of the buttons
   */
  constructor(word, changed, submitted, ...more) {
    this.why = el('input', { maxlength: 500 });
    this.undo = el('input', { type: 'checkbox', checked: true });
    this.seconds = el('input', { type: 'number', min: 10, max: 86400, value: UNDO, 'aria-label': 'Seconds' });
    this.button = el('button.primary', word);
    this.buttons = el('div.buttons', this.button);
    const typed = () => { this.seconds.disabled = !this.undo.checked; changed(); };
    this.element = el('form.apply', { onsubmit: submitted, oninput: typed },
      el('label.why', 'Why', this.why),
      el('div.undo', el('label', this.undo, ' Roll it back after'), this.seconds, 's unless it is kept'),
      more, this.buttons);
  }

  /** @returns {{ why: string, confirm: number }} seconds; 0 for never */
  get wanted() {
    return { why: this.why.value.trim(), confirm: this.undo.checked ? this.seconds.valueAsNumber || UNDO : 0 };
  }

  clear() {
    this.element.reset();
    this.seconds.disabled = false;
  }
}

/**
 * @typedef {{ number: number, at: string, operation: string, by: string | null, message: string | null, unsaved?: boolean,
 *   before?: string | null, paths?: { first: string[], count: number } }} Change
 */

/**
 * A change in a list: its number and time, who made it, why, and what it changed.
 * @param {Change} change
 * @param {boolean} [isShown] if it is the one that is looked at @param {string} [what] it changed
 */
export function changeView({ number, at, by, operation, message, unsaved, paths }, isShown = false, what = paths && firstOf(paths.first, paths.count)) {
  return el('li', { 'aria-current': isShown && 'true' },
    el('a', { href: `#/history/${number}` }, el('span.serial', number), timeView(at)),
    el('span.state', unsaved ? 'not saved' : operation),
    el('span', by ?? 'the server'),
    message && el('span.message', message),
    what && el('code.paths.quiet', what));
}

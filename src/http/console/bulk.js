// One value of many streams: set, removed or replaced, as one edit.

import { MASK, counted, el, fill, pathOf } from './base.js';
import { begin } from './review.js';

/** @typedef {import('./server.js').State} State */
/** @typedef {import('./rows.js').Row} Row */

const firstOf = (/** @type {string} */ path) => path.split(/[.[]/)[0] ?? '';

/** What is proposed for the value; any other path is taken, too. */
const PATHS = ['prepush', 'title', 'disabled', 'auth.url', 'dvr', 'dvr.dvr_limit', 'urls.url', 'transcoder', 'cluster_key', 'comment'];

/**
 * Shows how many streams are marked, and the form that changes them.
 * @param {HTMLElement} box
 * @param {State} state
 * @param {() => Row[]} marked
 * @param {string} count of them, in words
 * @param {() => void} unmark
 */
export function manyForm(box, state, marked, count, unmark) {
  if (!box.querySelector('form')) fill(box, form(state, marked, unmark));
  fill(/** @type {Element} */ (box.querySelector('.many-count')), count);
}

/** @param {State} state @param {() => Row[]} marked @param {() => void} unmark */
function form(state, marked, unmark) {
  const act = el('select', { 'aria-label': 'What to do', onchange: showFields },
    ['set', 'remove', 'replace in'].map((word) => el('option', word)));
  const path = el('input', { list: 'many-paths', 'aria-label': 'Value, as a path below the stream', placeholder: 'prepush', required: true });
  const old = el('input', { 'aria-label': 'Old text', placeholder: 'old text' });
  const value = el('input', { 'aria-label': 'New value', placeholder: 'value' });
  const fault = el('span.fault', { role: 'alert' });

  function showFields() {
    old.hidden = act.value !== 'replace in';
    value.hidden = act.value === 'remove';
    old.required = !old.hidden;
    value.required = act.value === 'set';
  }

  function submit() {
    const edit = { act: act.value, path: path.value.trim(), old: old.value, value: value.value };
    const assignments = assignmentsOf(marked(), edit);
    fault.textContent = assignments.length ? '' : noneWords(marked(), edit.path);
    if (!assignments.length) return;
    // The label is without the value, and without what stands in the path in quotes or behind `=`: they may be secrets.
    const shown = edit.path.replace(/["=].*/s, '…');
    if (begin(state, `${edit.act} ${shown} of ${counted(assignments.length, 'stream')}`, assignments)) unmark();
  }

  showFields();
  return el('form.many-form', { 'aria-label': 'Change all that are marked', onsubmit: submit },
    el('strong.many-count'), act, path,
    el('datalist', { id: 'many-paths' }, PATHS.map((name) => el('option', { value: name }))),
    old, value, el('button.primary', 'Prepare'),
    el('button.plain', { onclick: unmark }, 'Unmark'), fault);
}

/**
 * The assignments of an edit, one for each stream that it changes.
 * @param {Row[]} rows
 * @param {{act: string, path: string, old: string, value: string}} edit
 * @returns {import('./review.js').Assignment[]}
 */
function assignmentsOf(rows, { act, path, old, value }) {
  const below = path.startsWith('[') ? path : `.${path}`;
  const first = firstOf(path);
  const has = (/** @type {any} */ stream) => act !== 'replace in' || JSON.stringify(stream[first] ?? '').includes(JSON.stringify(old).slice(1, -1));
  /** @type {import('./review.js').NewValue} */
  const made = act === 'remove' ? 'remove' : act === 'set' ? { typed: value } : { replace: substitution(old, value) };
  return rows.filter((row) => has(row.own)).map((row) => ({ path: pathOf(['streams', row.name]) + below, value: made }));
}

/** Why no stream has the text that is to be replaced. @param {Row[]} rows @param {string} path */
export function noneWords(rows, path) {
  const isHidden = rows.some(({ own }) => MASK.test(JSON.stringify(own[firstOf(path)] ?? '')));
  return `No marked stream has this text in ${path}.${isHidden ? ' What is hidden there can’t be replaced.' : ''}`;
}

/** `s/OLD/NEW/` with a sign that neither text has. @param {string} old @param {string} value */
function substitution(old, value) {
  const sign = [...'/|,:#!%@'].find((found) => !(old + value).includes(found)) ?? '\u0001';
  return `s${sign}${old}${sign}${value}${sign}`;
}

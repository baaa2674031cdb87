// One value of many streams: set, removed or replaced, as one edit.

import { MASK, counted, el, fill, later, pathOf, segmentsOf } from './base.js';
import { begin, draftOf, send } from './review.js';
import { conditionOf, whereOf } from './rows.js';
import { asProblem } from './server.js';
import { hereOf } from './views.js';

/** @typedef {import('./server.js').State} State */
/** @typedef {import('./rows.js').Row} Row */

/** What is proposed for the value; any other path is taken, too. */
const PATHS = ['prepush', 'title', 'disabled', 'auth.url', 'dvr', 'dvr.dvr_limit', 'urls.url', 'transcoder', 'cluster_key', 'comment'];

/** A change that is only tried. */
const NOTHING = { why: '', confirm: 0, accepted: [] };

/** The time after the last key at which the server is asked about what is typed, in milliseconds. */
const PAUSE = 250;

/**
 * The streams that are marked, all, the text of the filter, and what unmarks them.
 * @typedef {{ marked: () => Row[], all: () => Row[], filter: () => string, unmark: () => void }} Chosen
 */

/** Shows how many streams are marked, in words, and the form that changes them. @param {HTMLElement} box @param {State} state @param {string} count @param {Chosen} chosen */
export function manyForm(box, state, count, chosen) {
  if (!box.querySelector('form')) fill(box, form(state, chosen));
  fill(/** @type {Element} */ (box.querySelector('.many-count')), count);
}

/** @param {State} state @param {Chosen} chosen */
function form(state, chosen) {
  const act = el('select', { 'aria-label': 'What to do', onchange: showFields },
    ['set', 'remove', 'replace in'].map((word) => el('option', word)));
  const path = el('input', { list: 'many-paths', 'aria-label': 'Value, as a path below the stream', placeholder: 'prepush', required: true });
  const old = el('input', { 'aria-label': 'Old text', placeholder: 'old text' });
  const value = el('input', { 'aria-label': 'New value', placeholder: 'value' });
  const fault = el('span.fault', { role: 'alert' });
  const checkLater = later(PAUSE, check);

  function showFields() {
    old.hidden = act.value !== 'replace in';
    value.hidden = act.value === 'remove';
    old.required = !old.hidden;
    value.required = act.value === 'set';
  }

  const typed = () => ({ act: act.value, path: path.value.trim(), old: old.value, value: value.value });

  /** Tells what is wrong with what is typed: once, by what the first stream would become. */
  async function check() {
    const edit = typed();
    const isWhole = edit.path && (!old.required || edit.old) && (!value.required || edit.value);
    const assignments = isWhole ? assignmentsOf(chosen.marked(), edit).slice(0, 1) : [];
    const problem = assignments.length ? await send(state.api, draftOf(state, '', assignments), NOTHING, { dry_run: true }).then(() => null, asProblem) : null;
    if (JSON.stringify(edit) !== JSON.stringify(typed())) return;
    const { message, hint } = problem?.details[0] ?? { message: problem?.message ?? '' };
    fault.textContent = [message, hereOf(hint)].filter(Boolean).join(': ');
  }

  function submit() {
    const edit = typed();
    const rows = chosen.marked();
    const assignments = assignmentsOf(rows, edit);
    fault.textContent = assignments.length ? '' : noneWords(rows, edit.path);
    if (!assignments.length) return;
    // The label is without the value, and without what stands in the path in quotes or behind `=`: they may be secrets.
    const shown = edit.path.replace(/["=].*/s, '…');
    const pattern = { path: pathBelow('streams.*', edit.path), where: whereOfRows(chosen.all(), rows, chosen.filter()) };
    if (begin(state, `${edit.act} ${shown} of ${counted(assignments.length, 'stream')}`, assignments, pattern)) chosen.unmark();
  }

  showFields();
  return el('form.many-form', { 'aria-label': 'Change all that are marked', onsubmit: submit, oninput: checkLater },
    el('strong.many-count'), act, path,
    el('datalist', { id: 'many-paths' }, PATHS.map((name) => el('option', { value: name }))),
    old, value, el('button.primary', 'Prepare'),
    el('button.plain', { onclick: chosen.unmark }, 'Unmark'), fault);
}

/** The conditions by which `--where` finds these rows, and no others. @param {Row[]} all @param {Row[]} rows @param {string} filter */
function whereOfRows(all, rows, filter) {
  const wanted = new Set(rows);
  const finds = (/** @type {string[]} */ where) => {
    const tests = where.map(conditionOf);
    return all.every((row) => row.file || wanted.has(row) === tests.every((holds) => typeof holds === 'function' && holds(row.own)));
  };
  return [[], whereOf(filter)].find((where) => where && finds(where));
}

/** @param {string} entry @param {string} path */
const pathBelow = (entry, path) => entry + (path.startsWith('[') ? path : `.${path}`);

/**
 * The assignments of an edit, one for each stream that it changes.
 * @param {Row[]} rows @param {{act: string, path: string, old: string, value: string}} edit
 * @returns {import('./review.js').Assignment[]}
 */
function assignmentsOf(rows, { act, path, old, value }) {
  const first = segmentsOf(path)[0] ?? '';
  const has = (/** @type {any} */ stream) => act !== 'replace in' || JSON.stringify(stream[first] ?? '').includes(JSON.stringify(old).slice(1, -1));
  /** @type {import('./review.js').NewValue} */
  const made = act === 'remove' ? 'remove' : act === 'set' ? { typed: value } : { replace: substitution(old, value) };
  return rows.filter((row) => has(row.own)).map((row) => ({ path: pathBelow(pathOf(['streams', row.name]), path), value: made }));
}

/** Why no stream has the text that is to be replaced. @param {Row[]} rows @param {string} path */
export function noneWords(rows, path) {
  const isHidden = rows.some(({ own }) => MASK.test(JSON.stringify(own[segmentsOf(path)[0] ?? ''] ?? '')));
  return `No marked stream has this text in ${path}.${isHidden ? ' What is hidden there can’t be replaced.' : ''}`;
}

/** `s/OLD/NEW/` with a sign that neither text has. @param {string} old @param {string} value */
function substitution(old, value) {
  const sign = [...'/|,:#!%@'].find((found) => !(old + value).includes(found)) ?? '\u0001';
  return `s${sign}${old}${sign}${value}${sign}`;
}

// What is shown of one entry, on a page of its own and beside the text: its text, secrets, plain values and last changes.
// The page of one stream: `#/streams/NAME`.

import { el, fill } from './dom.js';
import { asProblem } from './api.js';
import { changeView } from './history.js';
import { EntryEditor } from './entry_editor.js';
import { fieldsView } from './fields.js';
import { notSent, shownTime } from './figures.js';
import { hideSecret, secretsView } from './secret.js';
import { pathOf, readAt, textOf } from './path.js';
import { problemView } from './problem_view.js';
import { vocabularyOf } from './vocabulary.js';
import { entries } from './words.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('./history.js').Change & { from: any, to: any }} Blamed a change with the values before and after it
 */

/** The last changes of an entry that are looked at, and those that are listed. */
const CHANGES = 20;
const LISTED = 5;

/**
 * Shows an entry in a box until the signal ends it.
 * @param {HTMLElement} box
 * @param {State} state
 * @param {import('./path.js').Segment[]} segments the path of the entry
 * @param {AbortSignal} signal
 * @returns what puts the cursor into the text of the entry, at a line of the file
 */
export function showEntry(box, state, segments, signal) {
  const { api, drafts, mayEdit } = state;
  const path = pathOf(segments);
  const vocabulary = vocabularyOf(state);
  const notice = el('div');
  const fields = el('div');
  /** @type {EntryEditor | undefined} */
  let editor;
  /** The text that is shown, its revision and its values. */
  let text = '';
  let revision = '';
  /** @type {Record<string, unknown>} */
  let values = {};
  /** @type {Map<string, string>} */
  let changed = new Map();
  let isLocked = false;

  /** Reads the entry, and shows it; where it is as it was, nothing changes. */
  async function load() {
    const isEdited = () => Boolean(drafts.textOf(path));
    const query = { path, secrets: 'masked' };
    try {
      const [now, read, blamed] = await Promise.all([
        api.get('read_config', { ...query, format: 'conf' }),
        api.get('read_config', query),
        api.get('blame', { ...query, limit: CHANGES }).catch(() => ({ body: [] })),
      ]);
      const isChanged = now.revision !== revision;
      if (text && now.body !== text && isEdited()) return isChanged && tellOfChange(now.body);
      revision = now.revision;
      if (now.body === text) return;
      text = now.body;
      draw(now.line || 1, read.body, blamed.body);
    } catch (error) {
      const problem = asProblem(error);
      const isGone = problem.status === 404;
      if (isGone && isEdited()) {
        if (!editor) draw(1, {}, []);
        fill(notice, problemView(problem), el('p.warning', 'Your text is below. “Review” asks whether to add it again.'));
      } else if (isGone || !text) {
        text = '';
        fill(box, problemView(problem));
      }
    }
  }

  /**
   * @param {number} line
   * @param {any} read
   * @param {Blamed[]} changes
   */
  function draw(line, read, changes) {
    hideSecret();
    const focused = editor?.area === document.activeElement;
    [values, changed] = [read, lastChanges(changes)];
    const draft = drafts.textOf(path);
    editor = new EntryEditor(state, vocabulary, { path, text: draft?.before ?? text, base: draft?.base ?? revision, line, now: text, isReadOnly: !mayEdit });
    fill(notice);
    fill(box, notice, editor.element, secretsView(state, segments, values), fields, changesView(changes));
    if (focused) editor.area.focus();
    showFields();
  }

  async function showFields() {
    const known = await vocabulary.catch(() => undefined);
    const meanings = known?.fields(entries(text)[0]?.keyword ?? '') ?? [];
    isLocked = drafts.textOf(path) !== undefined;
    if (meanings.length && segments.length > 1) fill(fields, fieldsView(state, meanings, { entry: path, segments, base: revision, values, changes: changed, isLocked }));
  }

  function draftsChanged() {
    if (!editor) return;
    const draft = drafts.textOf(path);
    const now = draft?.text ?? text;
    const isSame = editor.area.value === now;
    // It was merged, applied or discarded elsewhere.
    const isOther = !isSame && editor.area !== document.activeElement;
    if (draft && (isSame || isOther)) editor.shown = { ...editor.shown, text: draft.before, base: draft.base };
    if (isOther) editor.set(now);
    if (isOther && !draft) reload();
    if (isLocked !== Boolean(draft) || !fields.contains(document.activeElement)) showFields();
  }

  /** Shows it again, also where its text is as it was. */
  function reload() {
    text = '';
    load();
  }

  /** @param {string} now */
  function tellOfChange(now) {
    const draft = drafts.textOf(path);
    // A change that is made here is in the configuration before its answer is.
    if (!editor || draft?.text === now) return;
    editor.shown = { ...editor.shown, now };
    if (draft && drafts.beforeOf(draft) === now) return;
    fill(notice, el('p.warning', 'Somebody else has changed this entry since you began. “Review” merges both.'));
    state.announce('Somebody else has changed this entry.');
  }

  state.subscribe(['role'], reload, signal);
  state.subscribe(['config'], load, signal);
  drafts.subscribe(draftsChanged, signal);
  signal.addEventListener('abort', hideSecret);
  load();
  return (/** @type {number} */ line) => editor?.goTo(line);
}

/**
 * For each member the last change of it, in words.
 * @param {Blamed[]} changes the last one first
 */
function lastChanges(changes) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const { at, by, from, to } of changes.toReversed()) {
    for (const name of namesOf(from, to)) {
      const isOther = JSON.stringify(from?.[name]) !== JSON.stringify(to?.[name]);
      if (isOther) found.set(name, `last changed by ${by ?? 'somebody'}, ${shownTime(at)}`);
    }
  }
  return found;
}

/**
 * The members that an entry had before a change or has after it.
 * @param {any} from
 * @param {any} to
 */
function namesOf(from, to) {
  return Object.keys({ ...from, ...to });
}

/** @param {Blamed[]} changes */
function changesView(changes) {
  return changes.length > 0 && el('section', { 'aria-label': 'Last changes' }, el('h2', 'Last changes'),
    el('ol.changes', changes.slice(0, LISTED).map((change) => changeView(change, changedWords(change)))));
}

/** What a change made of its first values. @param {Blamed} change */
function changedWords({ from, to }) {
  const shown = (/** @type {unknown} */ value) => value === undefined ? 'nothing' : textOf(value);
  return namesOf(from, to).slice(0, 3).map((name) => `${name}: ${shown(from?.[name])} → ${shown(to?.[name])}`).join(', ');
}

/** @type {import('./router.js').Show} */
export function showStream(main, state, { rest: [name = ''] }, signal) {
  const segments = ['streams', name];
  const path = pathOf(segments);
  const box = el('div.entry-page', el('p.quiet', 'Loading …'));
  const kind = state.rows.find((row) => row.name === name)?.kind;
  const remove = () => {
    state.drafts.addMany({ label: `remove ${path}`, base: state.revision ?? '', assignments: [{ path, value: 'remove', before: readAt(state.config, path) }] });
    state.announce(notSent(state.drafts.list.length));
  };
  fill(main,
    el('div.page-head',
      el('h1', name), kind && el('span.state', kind),
      state.mayEdit && el('button', { onclick: remove }, 'Remove stream')),
    box);
  showEntry(box, state, segments, signal);
}

// What is shown of one entry, on a page of its own and beside the text: its text, secrets, plain values and last changes.
// The page of one stream: `#/streams/NAME`.

import { el, fill } from './dom.js';
import { Problem, revisionOf } from './api.js';
import { EntryEditor } from './entry_editor.js';
import { fieldsView } from './fields.js';
import { shownTime } from './figures.js';
import { hideSecret, secretsView } from './secret.js';
import { pathOf, readAt, textOf } from './path.js';
import { problemView } from './problem_view.js';
import { vocabularyOf } from './vocabulary.js';
import { entries } from './words.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {{ number: number, serial: number, at: string, by: string | null, message: string | null, operation: string,
 *   from: any, to: any }} Blamed
 */

/** The last changes of an entry that are looked at. */
const CHANGES = 20;

export class EntryPage {
  /** @type {EntryEditor | undefined} */
  editor;
  #left = false;
  #text = '';
  #revision = '';
  /** @type {(() => void)[]} */
  #ends = [];

  /**
   * @param {HTMLElement} box
   * @param {State} state
   * @param {string[]} segments the path of the entry
   */
  constructor(box, state, segments) {
    this.box = box;
    this.state = state;
    this.segments = segments;
    this.path = pathOf(segments);
    this.notice = el('div');
    this.#ends.push(state.subscribe((_, changed) => {
      if (changed.has('role')) this.#text = '';
      if (changed.has('config') || changed.has('role')) void this.load();
    }));
    this.#ends.push(state.drafts.subscribe(() => this.#draftsChanged()));
  }

  /** Reads the entry, and shows it; where it is as it was, nothing changes. */
  async load() {
    const { api } = this.state;
    const { path } = this;
    try {
      const [text, values, changes] = await Promise.all([
        api.get('read_config', { path, format: 'conf', secrets: 'masked' }),
        api.get('read_config', { path, secrets: 'masked' }),
        api.get('blame', { path, limit: CHANGES, secrets: 'masked' }).catch(() => ({ body: [] })),
      ]);
      if (this.#left) return;
      const revision = revisionOf(text.etag);
      const isChanged = revision !== this.#revision;
      const isEdited = this.editor !== undefined && this.#text !== '' && this.state.drafts.textOf(path) !== undefined;
      if (isEdited && text.body !== this.#text) return isChanged && this.#tellOfChange(text.body);
      this.#revision = revision;
      if (text.body === this.#text) return;
      this.#text = text.body;
      this.#show(text.line ?? 1, values.body, changes.body);
    } catch (error) {
      if (this.#left) return;
      if (!(error instanceof Problem)) throw error;
      const isEdited = this.state.drafts.textOf(path) !== undefined;
      if (error.status === 404 && isEdited) {
        if (!this.editor) this.#show(1, {}, []);
        fill(this.notice, problemView(error), el('p.warning', 'Your text of it is below. “Review” asks whether to add it again.'));
      } else if (this.#text === '' || error.status === 404) fill(this.box, problemView(error));
    }
  }

  leave() {
    this.#left = true;
    this.editor?.leave();
    hideSecret();
    for (const end of this.#ends) end();
  }

  /**
   * @param {number} line
   * @param {any} values
   * @param {Blamed[]} changes
   */
  #show(line, values, changes) {
    const { state, segments, path } = this;
    hideSecret();
    const focused = this.editor?.area === document.activeElement;
    this.editor?.leave();
    this.shown = { values, changes };
    const draft = state.drafts.textOf(path);
    const read = { path, text: draft?.before ?? this.#text, base: draft?.base ?? this.#revision, line, now: this.#text };
    this.editor = new EntryEditor(state, vocabularyOf(state), { ...read, isReadOnly: !state.mayEdit });
    this.fields = el('div');
    fill(this.notice);
    fill(this.box, this.notice, this.editor.element, secretsView(state, segments, values), this.fields, changesView(changes));
    if (focused) this.editor.area.focus();
    void this.#showFields();
  }

  async #showFields() {
    const keyword = entries(this.#text)[0]?.keyword ?? '';
    const vocabulary = await vocabularyOf(this.state).catch(() => undefined);
    const { fields, shown, state, path } = this;
    if (!vocabulary || !fields || !shown || this.segments.length < 2) return;
    this.isLocked = state.drafts.textOf(path) !== undefined;
    const meanings = vocabulary.fields(keyword);
    if (meanings.length === 0) return;
    fill(fields, fieldsView(state, meanings, { entry: path, segments: this.segments, base: this.#revision,
      values: shown.values, changes: lastChanges(shown.changes), isLocked: this.isLocked }));
  }

  #draftsChanged() {
    const { editor, state, path } = this;
    if (!editor) return;
    const draft = state.drafts.textOf(path);
    const text = draft?.text ?? this.#text;
    const isSame = editor.area.value === text;
    // It was merged, applied or discarded elsewhere.
    const isOther = !isSame && editor.area !== document.activeElement;
    if (draft && (isSame || isOther)) editor.shown = { ...editor.shown, text: draft.before, base: draft.base };
    if (isOther) editor.set(text);
    if (isOther && !draft) {
      this.#text = '';
      void this.load();
    }
    if ((draft !== undefined) !== this.isLocked || !this.fields?.contains(document.activeElement)) void this.#showFields();
  }

  /** @param {string} now */
  #tellOfChange(now) {
    // A change that is made here is in the configuration before its answer is.
    const { drafts } = this.state;
    const draft = drafts.textOf(this.path);
    if (draft?.text === now) return;
    if (this.editor) this.editor.shown = { ...this.editor.shown, now };
    if (draft && drafts.beforeOf(draft) === now) return;
    fill(this.notice, el('p.warning', 'Somebody else has changed this entry since you began. “Review” merges both, and asks where both changed the same line.'));
    this.state.announce('Somebody else has changed this entry.');
  }
}

/**
 * For each member the last change of it, in words.
 * @param {Blamed[]} changes the last one first
 */
function lastChanges(changes) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const { at, by, from, to } of changes) {
    for (const name of namesOf(from, to)) {
      const isOther = JSON.stringify(from?.[name]) !== JSON.stringify(to?.[name]);
      if (isOther && !found.has(name)) found.set(name, `last changed by ${by ?? 'somebody'}, ${shownTime(at)}`);
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
  if (changes.length === 0) return null;
  return el('section.changes', { 'aria-label': 'Last changes' }, el('h2', 'Last changes'),
    el('ol', ...changes.slice(0, 5).map(({ serial, at, by, message, operation, from, to }) => el('li',
      el('a', { href: `#/history/${serial}` }, `#${serial}`), el('time', { datetime: at }, shownTime(at)),
      el('span', by ?? 'somebody'), el('span.quiet', message ?? operation),
      el('code.quiet', changedWords(from, to))))));
}

/**
 * @param {any} from
 * @param {any} to
 */
function changedWords(from, to) {
  const shown = (/** @type {unknown} */ value) => value === undefined ? 'nothing' : textOf(value);
  const words = namesOf(from, to).slice(0, 3).map((name) => `${name}: ${shown(from?.[name])} → ${shown(to?.[name])}`);
  return words.map((text) => (text.length > 80 ? `${text.slice(0, 80)}…` : text)).join(', ');
}

/** @type {import('./router.js').Show} */
export function show(main, state, { rest: [name = ''] }) {
  const segments = ['streams', name];
  const box = el('div.entry-page', el('p.quiet', 'Loading …'));
  const kind = state.rows.find((row) => row.name === name)?.kind;
  const remove = () => {
    const path = pathOf(segments);
    state.drafts.addMany({ label: `remove ${path}`, base: state.revision ?? '', assignments: [{ path, value: 'remove', before: readAt(state.config, path) }] });
    state.announce(`${name} will be removed when the edits are applied.`);
  };
  fill(main,
    el('div.page-head',
      el('p.crumbs', el('a', { href: '#/streams' }, 'Streams'), ' /'),
      el('h1', name), kind && el('span.state', kind),
      state.mayEdit && el('button', { onclick: remove }, 'Remove stream')),
    box);
  const page = new EntryPage(box, state, segments);
  void page.load();
  return () => page.leave();
}

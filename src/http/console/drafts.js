// Edits that are not sent yet, of one entry or of many. They survive a reload, a conflict and a lost connection, and go
// only by *apply*, *discard* or log-out.

import { RETYPE, keptAtFirst, keptDraft, keptPieces } from './kept.js';

/**
 * A value as `POST change` takes it.
 * @typedef {{ typed: string } | { text: string } | { replace: string } | 'remove'} NewValue
 * @typedef {{ path: string, value: NewValue }} Assignment
 */

/**
 * Another text of one entry.
 * @typedef {object} TextDraft
 * @property {'text'} kind
 * @property {string} id
 * @property {string} path
 * @property {string} base the revision of the configuration that was read
 * @property {string} before the text of the entry in it, masked
 * @property {string} text
 */

/**
 * Assignments: those of the fields of one entry, whose path is the `id`, or one value of many entries.
 * @typedef {object} ValuesDraft
 * @property {'values'} kind
 * @property {string} id
 * @property {string} label what it does, in words
 * @property {string} base
 * @property {Assignment[]} assignments
 */

/** @typedef {TextDraft | ValuesDraft} Draft */

/** @typedef {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} Store */

const KEY = 'mediactl-edits';

export class Drafts {
  /** @type {Draft[]} */
  #list = [];
  /** @type {Set<() => void>} */
  #listeners = new Set();
  /** What may be kept of each edit, by its id. @type {Map<string, import('./kept.js').Pieces>} */
  #pieces = new Map();

  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.#list = read(store);
    for (const draft of this.#list) this.#pieces.set(draft.id, keptAtFirst(draft));
  }

  /** @returns {readonly Draft[]} */
  get list() {
    return this.#list;
  }

  /** @param {string} id @returns {Draft | undefined} */
  find(id) {
    return this.#list.find((draft) => draft.id === id);
  }

  /** The text draft of an entry. @param {string} path @returns {TextDraft | undefined} */
  textOf(path) {
    const draft = this.find(textId(path));
    return draft?.kind === 'text' ? draft : undefined;
  }

  /** The assignment that is to be made at a path, the last one of all drafts. @param {string} path */
  valueAt(path) {
    const made = this.#list.flatMap((draft) => (draft.kind === 'values' ? draft.assignments : []));
    return made.findLast((assignment) => assignment.path === path)?.value;
  }

  /**
   * Another text of an entry. One that is as it was read is no edit.
   * @param {{ path: string, base: string, before: string }} read
   * @param {string} text
   */
  setText({ path, base, before }, text) {
    const id = textId(path);
    if (text === before) this.discard(id);
    else this.put({ kind: 'text', id, path, base, before, text });
  }

  /**
   * Another value of one field of an entry; `undefined` takes the edit of this field back.
   * @param {{ entry: string, path: string, base: string }} field
   * @param {NewValue | undefined} value
   */
  setValue({ entry, path, base }, value) {
    const old = this.find(entry);
    const others = old?.kind === 'values' ? old.assignments.filter((assignment) => assignment.path !== path) : [];
    const assignments = value === undefined ? others : [...others, { path, value }];
    if (assignments.length === 0) this.discard(entry);
    else this.put({ kind: 'values', id: entry, label: entry, base: old?.base ?? base, assignments });
  }

  /**
   * One change of many entries, as one draft. One with the same words takes the place of the earlier one.
   * @param {{ label: string, base: string, assignments: Assignment[] }} many
   */
  addMany({ label, base, assignments }) {
    if (assignments.length > 0) this.put({ kind: 'values', id: `many ${label}`, label, base, assignments });
  }

  /** Puts a draft in the place of the one with its name, or behind all. @param {Draft} draft */
  put(draft) {
    const at = this.#list.findIndex(({ id }) => id === draft.id);
    this.#list = at < 0 ? [...this.#list, draft] : this.#list.with(at, draft);
    this.#changed();
  }

  /** @param {string} id */
  discard(id) {
    const left = this.#list.filter((draft) => draft.id !== id);
    if (left.length === this.#list.length) return;
    this.#list = left;
    this.#changed();
  }

  clear() {
    this.#list = [];
    this.#changed();
  }

  /** @param {() => void} listener @returns {() => void} ends it */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => { this.#listeners.delete(listener); };
  }

  /**
   * What the server answered to an edit: what it showed without a mask is kept from now on.
   * @param {Draft} draft
   * @param {string} diff that the edit makes, masked
   */
  answered(draft, diff) {
    if (this.find(draft.id) !== draft) return;
    this.#pieces.set(draft.id, keptPieces(draft, diff));
    this.#keep();
  }

  #keep() {
    if (this.#list.length === 0) this.store.removeItem(KEY);
    else this.store.setItem(KEY, JSON.stringify(this.#list.map((draft) => keptDraft(draft, this.#pieces.get(draft.id)))));
  }

  #changed() {
    this.#keep();
    for (const listener of [...this.#listeners]) listener();
  }
}

/** @param {string} path */
function textId(path) {
  return `text ${path}`;
}

/** True if a secret of the draft was not kept, and has to be typed again. @param {Draft} draft */
export function lacksSecret(draft) {
  return (draft.kind === 'text' ? draft.text : JSON.stringify(draft.assignments)).includes(RETYPE);
}

/**
 * The request that makes all edits at once: path, body and parameters.
 * @param {readonly Draft[]} drafts
 * @returns {{ operation: string, query: Record<string, string>, body: unknown }}
 */
export function requestOf(drafts) {
  const texts = drafts.filter((draft) => draft.kind === 'text');
  const assignments = drafts.flatMap((draft) => (draft.kind === 'values' ? draft.assignments : []));
  const [first] = texts;
  if (first && texts.length === 1 && assignments.length === 0) {
    return { operation: 'save_entry', query: { path: first.path }, body: first.text };
  }
  const request = { edits: { assignments: { assignments, options: { create: true } } }, expectations: [] };
  if (texts.length === 0) return { operation: 'change', query: {}, body: { modify: request } };
  const others = texts.map(({ path, text }) => ({ path, text }));
  const then = assignments.length > 0 ? { then: request } : {};
  return { operation: 'change', query: {}, body: { entries: { texts: others, ...then } } };
}

/** @param {Store} store @returns {Draft[]} */
function read(store) {
  try {
    const list = JSON.parse(store.getItem(KEY) ?? '[]');
    return Array.isArray(list) ? list.filter((draft) => draft?.kind === 'text' || draft?.kind === 'values') : [];
  } catch {
    return [];
  }
}

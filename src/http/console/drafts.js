// Edits that are not sent yet, of one entry or of many. They survive a reload, a conflict and a lost connection, and go
// only by *apply*, *discard* or log-out.

import { RETYPE, keptDraft, keptPieces } from './kept.js';

/**
 * A value as `POST change` takes it.
 * @typedef {{ typed: string } | { text: string } | { replace: string } | 'remove'} NewValue
 * `before` is the value (masked, `null` for none) that the edit was made of.
 * @typedef {{ path: string, value: NewValue, before?: unknown }} Assignment
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
 * @property {boolean} [isGone] if somebody else removed the entry, and this text is wanted all the same
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

/** Those of one role: who may only look does not see those of another login in the same tab. */
export class Drafts extends EventTarget {
  /** @type {readonly Draft[]} */
  list = [];
  /** What may be kept of each edit, by its id. @type {Map<string, import('./kept.js').Pieces>} */
  #pieces = new Map();
  #key = '';
  /** Texts that were made, of which the edits without a base are; they may hold secrets, so the store has none of them. @type {Map<string, string>} */
  #made = new Map();
  /** False if the store has no room for the edits: they do not survive a reload. */
  isKept = true;

  /** @param {Store} store */
  constructor(store) {
    super();
    this.store = store;
    this.enter(null);
  }

  /** Goes on with the edits of a role; its login may get another name. @param {'edit' | 'view' | null} role */
  enter(role) {
    this.#key = `mediactl-edits ${role}`;
    const list = read(this.store, this.#key);
    this.#pieces = new Map(list.map((draft) => [draft.id, keptPieces(draft, requestOf([draft]))]));
    this.#set(list);
  }

  /** @param {string} id @returns {Draft | undefined} */
  find(id) {
    return this.list.find((draft) => draft.id === id);
  }

  /** The text draft of an entry. @param {string} path @returns {TextDraft | undefined} */
  textOf(path) {
    return /** @type {TextDraft | undefined} */ (this.find(textId(path)));
  }

  /** The assignment that is to be made at a path, the last one of all drafts. @param {string} path */
  valueAt(path) {
    return assignmentsOf(this.list).find((assignment) => assignment.path === path)?.value;
  }

  /**
   * Another text of an entry. One that is as it is now is no edit.
   * @param {{ path: string, base: string, before: string, now?: string }} read
   * @param {string} text
   */
  setText({ path, base, before, now = before }, text) {
    const id = textId(path);
    if (text === now) this.discard(id);
    else this.put({ kind: 'text', id, path, base, before, text });
  }

  /**
   * Another value of one field of an entry.
   * @param {{ entry: string, path: string, base: string, before?: unknown }} field
   * @param {NewValue} value
   */
  setValue({ entry, path, base, ...made }, value) {
    const old = /** @type {ValuesDraft | undefined} */ (this.find(entry));
    const known = old?.assignments.find((assignment) => assignment.path === path);
    const assignments = (old?.assignments ?? []).filter((assignment) => assignment !== known);
    assignments.push({ ...made, ...known, path, value });
    this.put({ kind: 'values', id: entry, label: entry, base, ...old, assignments });
  }

  /**
   * Takes edits of a value back.
   * @param {string} path
   * @param {boolean} [isLast] if those before the last one stay
   */
  undo(path, isLast) {
    const rest = (/** @type {Draft} */ draft) => without(draft, (assignment) => assignment.path === path);
    const last = this.list.findLast((draft) => rest(draft) !== draft);
    this.#set(this.list.map((draft) => (isLast && draft !== last ? draft : rest(draft))));
  }

  /**
   * One change of many entries, as one draft. One with the same name takes the place of the earlier one.
   * @param {{ name?: string, label: string, base: string, assignments: Assignment[] }} many
   */
  addMany({ label, name = label, base, assignments }) {
    this.put({ kind: 'values', id: `many ${name}`, label, base, assignments });
  }

  /**
   * Puts a draft behind all; the one with its name goes. Of two assignments of one path the later one holds, and the earlier
   * one stays to come back to.
   * @param {Draft} draft
   */
  put(draft) {
    this.#set([...this.list.filter(({ id }) => id !== draft.id), draft]);
  }

  /**
   * Drops what a change made. What was edited while it was sent stays, and is an edit of what the change made.
   * @param {readonly Draft[]} sent
   * @param {string} revision that the change made; empty if it is not known
   */
  made(sent, revision) {
    this.#set(this.list.flatMap((draft) => {
      const old = sent.find(({ id }) => id === draft.id);
      if (old?.kind === 'text') this.#made.set(old.id, old.text);
      return old ? leftOf(draft, old, revision) : draft;
    }));
  }

  /**
   * Puts another draft in the place of one, or nothing; unless something else was typed meanwhile.
   * @param {Draft} draft
   * @param {Draft | false} now
   */
  replace(draft, now) {
    if (this.list.includes(draft)) this.#set(this.list.flatMap((each) => (each === draft ? now || [] : each)));
  }

  /** @param {string} id */
  discard(id) {
    if (this.find(id)) this.#set(this.list.filter((draft) => draft.id !== id));
  }

  clear() {
    this.#set([]);
  }

  /** The text that an edit was made of. @param {TextDraft} draft */
  beforeOf({ id, base, before }) {
    return (base === '' ? this.#made.get(id) : undefined) ?? before;
  }

  /**
   * Calls a listener after each change, until the signal ends it.
   * @param {() => void} listener
   * @param {AbortSignal} [signal]
   */
  subscribe(listener, signal) {
    this.addEventListener('change', listener, { signal });
  }

  /**
   * What the server answered to an edit: what it showed without a mask is kept from now on.
   * @param {Draft} draft
   * @param {any} sent its request, with its secrets masked
   */
  answered(draft, sent) {
    if (!this.list.includes(draft)) return;
    this.#pieces.set(draft.id, keptPieces(draft, sent));
    this.#keep();
  }

  /** What may be kept of an edit. @template {Draft} Kind @param {Kind} draft @returns {Kind} */
  keptOf(draft) {
    return /** @type {Kind} */ (keptDraft(draft, this.#pieces.get(draft.id)));
  }

  #keep() {
    this.isKept = true;
    // An older list of edits would be a wrong one after a reload.
    this.store.removeItem(this.#key);
    if (this.list.length === 0) return;
    try {
      this.store.setItem(this.#key, JSON.stringify(this.list.map((draft) => this.keptOf(draft))));
    } catch {
      this.isKept = false;
    }
  }

  /** @param {readonly Draft[]} list */
  #set(list) {
    this.list = list.filter(isEdit);
    this.#changed();
  }

  #changed() {
    this.#keep();
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * A draft without some of its assignments.
 * @param {Draft} draft
 * @param {(assignment: Assignment) => boolean} isGone
 * @returns {Draft}
 */
function without(draft, isGone) {
  if (draft.kind === 'text' || !draft.assignments.some(isGone)) return draft;
  return { ...draft, assignments: draft.assignments.filter((assignment) => !isGone(assignment)) };
}

/** @param {Draft} draft */
function isEdit(draft) {
  return draft.kind === 'text' || draft.assignments.length > 0;
}

/**
 * What is left of a draft after `old`, an earlier state of it, was made.
 * @param {Draft} draft
 * @param {any} old
 * @param {string} revision
 * @returns {Draft[]}
 */
function leftOf(draft, old, revision) {
  // What the server made of the text is merged in the next review: this base is none of its revisions.
  if (draft.kind === 'text') return draft.text === old.text ? [] : [{ ...draft, base: '' }];
  const made = new Set(old.assignments.map(keyOf));
  return [{ ...without(draft, (assignment) => made.has(keyOf(assignment))), base: revision || draft.base }];
}

/** @param {Assignment} assignment */
function keyOf({ path, value }) {
  return JSON.stringify([path, value]);
}

/** @param {string} path */
function textId(path) {
  return `text ${path}`;
}

/** The assignments that edits make: of each path the last one. @param {readonly Draft[]} drafts */
function assignmentsOf(drafts) {
  const all = drafts.flatMap((draft) => (draft.kind === 'values' ? draft.assignments : []));
  const last = new Map(all.map(({ path }, at) => [path, at]));
  return all.filter(({ path }, at) => last.get(path) === at);
}

/** True if something that the edits need was not kept, and has to be typed again. @param {readonly Draft[]} drafts */
export function lacksTyped(drafts) {
  return JSON.stringify(requestOf(drafts)).includes(RETYPE);
}

/**
 * The body of `POST change` that makes all edits at once.
 * @param {readonly Draft[]} drafts
 */
export function requestOf(drafts) {
  const texts = drafts.flatMap((draft) => draft.kind === 'text' ? { path: draft.path, text: draft.text, create: draft.isGone } : []);
  const assignments = assignmentsOf(drafts).map(({ path, value }) => ({ path, value }));
  const then = { edits: { assignments: { assignments, options: { create: true } } }, expectations: [] };
  if (texts.length === 0) return { modify: then };
  return { entries: { texts, then: assignments.length > 0 ? then : undefined } };
}

/** @param {Store} store @param {string} key @returns {Draft[]} */
function read(store, key) {
  try {
    return JSON.parse(store.getItem(key) ?? '[]').filter((/** @type {Draft} */ { kind }) => kind === 'text' || kind === 'values');
  } catch {
    return [];
  }
}

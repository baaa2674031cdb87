// The edit that is not sent: the text or the values of one entry, or one value of many. The page holds one, in its memory.

/**
 * A value as `POST change` takes it.
 * @typedef {{ typed: string } | { text: string } | { replace: string } | 'remove'} NewValue
 * @typedef {{ path: string, value: NewValue }} Assignment
 */

/**
 * Another text of one entry, whose path is the `label`, or assignments: those of the fields of one entry, or one value of
 * many. `base` is the revision of the configuration that it was made of.
 * @typedef {{ kind: 'text', label: string, base: string, text: string }} TextDraft
 * @typedef {{ kind: 'values', label: string, base: string, assignments: Assignment[] }} ValuesDraft
 * @typedef {TextDraft | ValuesDraft} Draft
 */

/** @typedef {import('./state.js').State} State */

/** Leaves the edit, if there is one, and if the person says so; false if it stays. @param {State} state */
export function mayLeave(state) {
  const { draft, isSending } = state;
  if (isSending || (draft && !window.confirm(`The edit of ${draft.label} is not sent. Discard it?`))) return false;
  state.set({ draft: null });
  return true;
}

/**
 * Begins an edit, unless another one stays.
 * @param {State} state
 * @param {string} label what it does, in words
 * @param {Assignment[]} assignments
 */
export function begin(state, label, assignments) {
  if (!mayLeave(state)) return false;
  state.set({ draft: { kind: 'values', label, base: state.revision ?? '', assignments } });
  state.announce(`The edit of ${label} is not sent.`);
  return true;
}

/** The value that an edit gives to a path. @param {Draft | null} draft @param {string} path */
export function valueAt(draft, path) {
  return draft?.kind === 'values' ? draft.assignments.find((assignment) => assignment.path === path)?.value : undefined;
}

/**
 * The edit of the fields of an entry with another value of one field, or without one; `null` if none is left.
 * @param {Draft | null} draft
 * @param {{ entry: string, base: string, path: string }} field
 * @param {NewValue | undefined} value
 * @returns {Draft | null}
 */
export function withValue(draft, { entry, base, path }, value) {
  const others = draft?.kind === 'values' ? draft.assignments.filter((assignment) => assignment.path !== path) : [];
  const assignments = value ? [...others, { path, value }] : others;
  return assignments.length ? { kind: 'values', label: entry, base: draft?.base ?? base, assignments } : null;
}

/** The body of `POST change` that makes an edit. @param {Draft} draft */
export function requestOf(draft) {
  if (draft.kind === 'text') return { entries: { texts: [{ path: draft.label, text: draft.text, create: true }] } };
  return { modify: { edits: { assignments: { assignments: draft.assignments, options: { create: true } } }, expectations: [] } };
}

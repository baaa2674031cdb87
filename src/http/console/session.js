// What a reload of this tab keeps: the login without its password, and the change that was made here and is to be confirmed.

const KEY = 'mediactl.session';

/** @typedef {{login: string, pending: string | null}} Session */

/** @returns {Session} */
export function known() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    return { login: String(kept.login ?? ''), pending: kept.pending ? String(kept.pending) : null };
  } catch {
    return { login: '', pending: null };
  }
}

/** @param {Partial<Session>} facts */
export function remember(facts) {
  sessionStorage.setItem(KEY, JSON.stringify({ ...known(), ...facts }));
}

/** Forgets all that this tab kept, unsent edits too: somebody logged out. */
export function forget() {
  sessionStorage.clear();
}

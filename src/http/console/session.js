// What a reload of this tab keeps: the login without its password, and the change that was made here and is to be confirmed.

const KEY = 'mediactl.session';

/**
 * `pending` is the ID of the change, `until` the time at which it goes back.
 * @typedef {{login: string, pending: string | null, until: number}} Session
 */

/** @returns {Session} */
export function known() {
  try {
    const { login = '', pending = null, until = 0 } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    return { login, pending, until };
  } catch {
    return { login: '', pending: null, until: 0 };
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

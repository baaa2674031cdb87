// The form for the login. The password is in the memory of the page alone; a reload of this tab keeps the login, and the
// change that was made here and is to be confirmed.

import { asProblem } from './api.js';
import { el, fill } from './dom.js';
import { clockWords } from './figures.js';
import { load } from './load.js';

/** @typedef {import('./state.js').State} State */

/**
 * Shows the first form, and calls `done` once the server takes the login.
 * @param {HTMLElement} main
 * @param {State} state
 * @param {string} login that is filled in
 * @param {() => void} done
 * @param {AbortSignal} signal ends the form
 */
export function showLogin(main, state, login, done, signal) {
  const own = el('p.own');
  const form = loginForm(state, { login, label: 'Password', word: 'Log in', done },
    el('h1', 'Log in'), el('p.quiet', `to the server of ${location.host}`), own);
  form.className = 'login';
  fill(main, form);
  /** @type {HTMLElement | null} */ (form.querySelector(login ? '[type=password]' : 'input'))?.focus();
  const timer = setInterval(tick, 500);
  signal.addEventListener('abort', () => clearInterval(timer));
  tick();

  /** Counts down the change that was made in this tab before it was loaded again. */
  function tick() {
    const { pending, until } = known();
    const left = Math.ceil((until - Date.now()) / 1000);
    own.textContent = pending && left > 0 ? `The change that you made goes back in ${clockWords(left)}. Log in to keep it.` : '';
  }
}

/**
 * A form that logs in, which calls `done` once the server takes the login.
 * @param {State} state
 * @param {{ login: string, label: string, word: string, done: () => unknown }} how `label` is that of the password
 * @param {...import('./dom.js').Child} head
 */
export function loginForm(state, { login, label, word, done }, ...head) {
  const name = el('input', { name: 'login', autocomplete: 'username', required: true, value: login, autocapitalize: 'none' });
  const password = el('input', { name: 'password', type: 'password', autocomplete: 'current-password', required: true });
  const fault = el('p.fault', { role: 'alert' });
  const button = el('button.primary', word);
  const submit = async () => {
    button.ariaBusy = 'true';
    fault.textContent = '';
    const back = state.api.logIn(name.value, password.value);
    try {
      await load(state);
      remember({ login: name.value });
      await done();
    } catch (error) {
      back();
      fault.textContent = said(error);
      password.select();
      password.focus();
    }
    button.ariaBusy = null;
  };
  return el('form', { 'aria-label': 'Log in', onsubmit: submit }, head, el('label', 'Login', name), el('label', label, password), fault, button);
}

/** What a login that failed means for the person. @param {unknown} error */
export function said(error) {
  const { status, message, retryAfter } = asProblem(error);
  if (status === 401) return 'The login or the password is wrong.';
  return retryAfter ? `${message}, in ${retryAfter} s` : message;
}

const KEY = 'mediactl.session';

/**
 * `pending` is the ID of the change, `until` the time at which it goes back.
 * @typedef {{login: string, pending: string | null, until: number}} Session
 */

/** @returns {Session} */
export function known() {
  return { login: '', pending: null, until: 0, ...JSON.parse(sessionStorage.getItem(KEY) ?? '{}') };
}

/** @param {Partial<Session>} facts */
export function remember(facts) {
  sessionStorage.setItem(KEY, JSON.stringify({ ...known(), ...facts }));
}

/** Forgets who was logged in, and the change that was made here: somebody logged out. */
export function forget() {
  sessionStorage.removeItem(KEY);
}

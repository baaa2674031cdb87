// The form for the login. The password is in the memory of the page alone.

import { asProblem } from './api.js';
import { el, fill } from './dom.js';
import { load } from './load.js';

/** @typedef {import('./state.js').State} State */

/**
 * Shows the first form, and calls `done` once the server takes the login.
 * @param {HTMLElement} main
 * @param {State} state
 * @param {() => void} done
 */
export function showLogin(main, state, done) {
  const form = loginForm(state, { login: '', label: 'Password', word: 'Log in', done },
    el('h1', 'Log in'), el('p.quiet', `to the server of ${location.host}`));
  form.className = 'login';
  fill(main, form);
  form.querySelector('input')?.focus();
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

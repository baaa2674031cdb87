// The bar of a pending change: the countdown of the server, and the two ways to end it. Nothing ends it by itself. It also
// asks for a password that holds no longer.

import { Problem } from './api.js';
import { el, fill } from './dom.js';
import { clockWords, firstOf } from './figures.js';
import { load } from './load.js';
import { remember, said } from './login.js';

/** @typedef {import('./state.js').State} State */

/** The seconds that are left when somebody who does not see the bar is told. */
const TOLD = [60, 30, 10];

const WENT_BACK = 'The change was undone, and with it the new password: the old one is valid again.';

/** How long nothing is pressed before *Keep* gets the focus, in milliseconds: a key that was meant for a text must not press it. */
const REST = 700;

/** When the old password is tried again after the time has run out, in milliseconds: the way back takes a while. */
const TRIES = [500, 3000, 10_000];

/**
 * @param {HTMLElement} bar
 * @param {State} state
 * @param {() => void} goOn follows the server again after a login
 */
export function attach(bar, state, goOn) {
  const clock = el('strong.clock', { role: 'timer' });
  const fault = el('span.fault', { role: 'alert' });
  /** What the bar was drawn for. */
  let shown = '';
  let focused = '';
  /** The ID of the change that has gone back, with the password that it made. */
  let over = '';
  /** True while the bar says that the page is logged in with the old password again. */
  let isTold = false;
  let timer = 0;
  /** When something was pressed the last time. */
  let pressed = 0;

  for (const kind of ['keydown', 'pointerdown']) {
    document.addEventListener(kind, () => { pressed = performance.now(); }, true);
  }
  // A key that is held down since before.
  bar.addEventListener('keydown', (event) => { if (event.repeat) event.preventDefault(); });

  function draw() {
    const { status, applied, needsPassword, role, isConnected } = state;
    const pending = status?.pending ?? null;
    const id = pending?.id ?? applied;
    const isOver = over !== '' && over === id && needsPassword;
    const isPending = !isOver && (pending !== null || (needsPassword && applied !== null));
    if (isPending || needsPassword) isTold = false;
    bar.hidden = role === null || !(isPending || needsPassword || isTold);
    clearInterval(timer);
    if (!bar.hidden && isPending) timer = window.setInterval(tick, 500);
    // What somebody types for a password stays while the connection comes and goes.
    const key = JSON.stringify([bar.hidden, pending?.id, needsPassword || isConnected, needsPassword, role, isOver, isTold]);
    if (key !== shown) {
      shown = key;
      fault.textContent = '';
      const parts = () => isTold ? told() : [isOver ? wentBack() : text(isPending), needsPassword ? passwordForm(isPending, isOver) : buttons()];
      fill(bar, ...(bar.hidden ? [] : parts()), fault);
      tick();
    }
    // The status may tell of the change before the answer of the request says that it was made here.
    const place = `${id} ${needsPassword}`;
    if (!bar.hidden && isPending && id && id === applied && focused !== place) {
      focused = place;
      bar.querySelector('button, input')?.scrollIntoView({ block: 'nearest' });
      const since = performance.now();
      setTimeout(() => { if (pressed < since) first()?.focus(); }, REST);
    }
  }

  /** What one uses next. @returns {HTMLElement | null} */
  function first() {
    return bar.querySelector(state.needsPassword ? 'input[type=password]' : 'button');
  }

  /** @param {boolean} isPending */
  function text(isPending) {
    const pending = state.status?.pending;
    if (!isPending) return el('p', el('strong', 'The password was changed.'), ' Log in with the new one; what you typed is still here.');
    const paths = pending && firstOf(pending.paths, pending.path_count);
    const about = paths && el('span.quiet', ` ${paths}`);
    const who = pending ? `${pending.by} changed the configuration${pending.message ? `: ${pending.message}.` : '.'}` : 'The configuration was changed, and with it your password.';
    return el('p', el('strong', who), about, el('br'),
      state.isConnected ? 'It goes back in ' : 'There is no connection. Unless it is kept, the change goes back in ', clock, state.isConnected ? ' unless it is kept.' : null);
  }

  function buttons() {
    if (!state.mayEdit || !state.isConnected) return null;
    return el('div.buttons',
      el('button.primary', { onclick: () => end('confirm_config') }, 'Keep'),
      el('button', { onclick: () => end('cancel_config') }, 'Take back'));
  }

  function wentBack() {
    return el('p', el('strong', WENT_BACK), ' The new one is valid only if somebody else kept the change.');
  }

  function told() {
    const close = () => { isTold = false; draw(); };
    return [el('p', el('strong', WENT_BACK), ' You are logged in with it.'),
      el('div.buttons', el('button', { onclick: close }, 'Close'))];
  }

  /** The time has run out while the page had no password that holds. @param {string} id */
  function runOut(id) {
    over = id;
    draw();
    state.announce('The change was undone. The old password is valid again.');
    for (const pause of TRIES) setTimeout(() => void logInAgain(id), pause);
  }

  /** The page still has the old password. @param {string} id */
  async function logInAgain(id) {
    if (!state.needsPassword || over !== id || isTyped()) return;
    try {
      await load(state);
    } catch {
      return;
    }
    state.set({ needsPassword: false, applied: null });
    isTold = true;
    draw();
    goOn();
  }

  /** True if somebody types a password, or typed one. */
  function isTyped() {
    return /** @type {HTMLInputElement | null} */ (bar.querySelector('input[type=password]'))?.value !== '';
  }

  /**
   * @param {boolean} isPending
   * @param {boolean} isOver
   */
  function passwordForm(isPending, isOver) {
    const which = isOver ? 'old' : 'new';
    const password = el('input', { type: 'password', autocomplete: 'current-password', required: true, 'aria-label': `${isOver ? 'Old' : 'New'} password of ${state.login}`, placeholder: `${which} password of ${state.login}` });
    const login = el('input', { autocomplete: 'username', required: true, 'aria-label': 'Login', value: state.login });
    const submit = async () => {
      state.api.logIn(login.value, password.value);
      try {
        await load(state);
      } catch (error) {
        fault.textContent = said(error);
        password.select();
        return;
      }
      state.set({ needsPassword: false, ...(isOver ? { applied: null } : {}) });
      remember({ login: login.value });
      if (isPending && state.mayEdit) await end('confirm_config');
      goOn();
    };
    return el('form.buttons', { onsubmit: submit }, login, password,
      el('button.primary', isPending ? 'Log in and keep' : 'Log in'));
  }

  /** @param {'confirm_config' | 'cancel_config'} operation */
  async function end(operation) {
    const id = state.status?.pending?.id ?? state.applied;
    if (!id) return;
    try {
      await state.api.post(operation, { id });
      state.announce(operation === 'confirm_config' ? 'The change is kept.' : 'The change was taken back.');
      state.set({ applied: null });
    } catch (error) {
      const isGone = error instanceof Problem && error.status === 404;
      fault.textContent = isGone ? 'The change is not pending any more.' : said(error);
    }
  }

  function tick() {
    if (state.deadline === null) return;
    const left = Math.max(0, Math.ceil((state.deadline - performance.now()) / 1000));
    const id = state.status?.pending?.id ?? state.applied;
    if (left === 0 && state.needsPassword && id && over !== id) return runOut(id);
    const words = clockWords(left * 1000);
    if (clock.textContent === words) return;
    clock.textContent = state.isConnected || left > 0 ? words : '0:00, so it was undone by now';
    bar.classList.toggle('late', left <= 15);
    if (TOLD.includes(left)) state.announce(`The change goes back in ${left} seconds.`);
  }

  state.subscribe(['applied', 'deadline'], () => {
    if (state.role) remember({ pending: state.applied, until: Date.now() + (state.deadline ?? 0) - performance.now() });
  });
  state.subscribe(['status'], ended);
  state.subscribe(['status', 'applied', 'needsPassword', 'role', 'isConnected', 'deadline'], draw);

  /** The pending change of the last status. */
  let before = '';

  function ended() {
    const now = state.status?.pending?.id ?? '';
    if (before && !now && state.applied === before) {
      state.announce('The change is not pending any more: it went back, or somebody else kept it.');
      state.set({ applied: null });
    }
    if (!before && now) state.announce('A change has to be confirmed.');
    before = now;
  }
}

// The bar of a pending change: the countdown of the server, and the two ways to end it. Nothing ends it by itself. It also
// asks for a password that holds no longer.

import { asProblem } from './api.js';
import { el, fill, refill } from './dom.js';
import { clockWords, firstOf } from './figures.js';
import { load } from './load.js';
import { loginForm, remember, said } from './login.js';

/** The seconds that are left when somebody who does not see the bar is told. */
const TOLD = [60, 30, 10];

/** How long nothing is pressed before *Keep* gets the focus, in milliseconds: a key that was meant for a text must not press it. */
const REST = 700;

/**
 * The pause in milliseconds after which the password of the page is tried again while it is refused and a change may go
 * back. The server counts a password that is wrong once, however often it is tried.
 */
const TRY = 5000;

/** @param {HTMLElement} bar @param {import('./state.js').State} state @param {() => void} goOn follows the server again after a login */
export function attach(bar, state, goOn) {
  const clock = el('strong.clock', { role: 'timer' });
  const fault = el('span.fault', { role: 'alert' });
  const body = el('div.confirm-body');
  fill(bar, body, fault);
  /** The pending change of the last status. */
  let before = '';
  let focused = '';
  /** True if the pending change, or the last one, gives the login another name. */
  let isRenamed = false;
  /** True while the password of the page is refused because of a change that may go back. */
  let mayHold = false;
  /** When something was pressed the last time. */
  let pressed = 0;

  for (const kind of ['keydown', 'pointerdown']) {
    document.addEventListener(kind, () => { pressed = performance.now(); }, true);
  }
  // A key that is held down since before.
  bar.addEventListener('keydown', (event) => { if (event.repeat) event.preventDefault(); });
  setInterval(tick, 500);
  setInterval(tryAgain, TRY);

  state.subscribe(['applied', 'deadline'], () => {
    if (state.role) remember({ pending: state.applied, until: Date.now() + (state.deadline ?? 0) - performance.now() });
  });
  state.subscribe(['status'], tellOfOthers);
  state.subscribe(['status', 'applied', 'needsPassword', 'role', 'isConnected', 'deadline', 'newLogin'], draw);

  /** What is pending: as far as the status tells, or as it was made here. */
  function pendingId() {
    return state.status?.pending?.id ?? state.applied;
  }

  function draw() {
    const { status, applied, needsPassword, role, isConnected } = state;
    const id = pendingId();
    const isPending = Boolean(status?.pending ?? (needsPassword && applied));
    mayHold = needsPassword && (mayHold || isPending);
    // While a change is rolled back, it may be told without its paths.
    if (status?.pending?.paths.length) isRenamed = status.pending.paths.includes(`${role}_auth.login`);
    bar.hidden = !role || !(isPending || needsPassword);
    // What somebody types for a password stays while the connection comes and goes.
    refill(body, [bar.hidden, status?.pending?.id, needsPassword || isConnected, needsPassword, role, isPending, state.newLogin], () => {
      fault.textContent = '';
      return bar.hidden ? null : [text(isPending), needsPassword ? passwordForm(isPending) : buttons()];
    });
    tick();
    // The status may tell of the change before the answer of the request says that it was made here.
    const place = `${id} ${needsPassword}`;
    if (bar.hidden || !isPending || id !== applied || focused === place) return;
    focused = place;
    // What one uses next.
    const next = () => /** @type {HTMLElement | null} */ (bar.querySelector(state.needsPassword ? 'input[type=password]' : 'button'));
    next()?.scrollIntoView({ block: 'nearest' });
    const since = performance.now();
    setTimeout(() => { if (pressed < since) next()?.focus(); }, REST);
  }

  /** @param {boolean} isPending */
  function text(isPending) {
    const { status, isConnected } = state;
    const pending = status?.pending;
    const part = (/** @type {string} */ what, /** @type {import('./dom.js').Child[]} */ ...more) => el('p', el('strong', what), ' ', more);
    if (!isPending) return part('Your login or its password was changed, or was changed back.', 'Log in with the one that is valid now. Your edit is kept here.');
    const who = pending ? `${pending.by} changed the configuration.${pending.message ? ` Why: ${pending.message}.` : ''}` : 'Your login or its password was changed.';
    return part(who, pending && el('span.quiet', firstOf(pending.paths, pending.path_count)), el('br'),
      !isConnected && 'There is no connection. ', 'It goes back in ', clock, ' unless it is kept.');
  }

  function buttons() {
    return state.mayEdit && state.isConnected && el('div.buttons',
      el('button.primary', { onclick: () => end('confirm_config', 'The change is kept.') }, 'Keep'),
      el('button', { onclick: () => end('cancel_config', 'The change was rolled back.') }, 'Roll back'));
  }

  /** @param {boolean} isPending */
  function passwordForm(isPending) {
    const id = pendingId();
    // Which name somebody else gave to the login, or took from it, is not known.
    const login = (isPending && state.applied && state.newLogin) || (isRenamed ? '' : state.login);
    const done = async () => {
      holds();
      // Another change than the one that the bar told of is not kept with it.
      if (state.mayEdit && id && state.status?.pending?.id === id) await end('confirm_config', 'The change is kept.');
      goOn();
    };
    const form = loginForm(state, { login, label: isPending ? 'New password' : 'Password', word: isPending ? 'Log in and keep' : 'Log in', done });
    form.className = 'buttons';
    return form;
  }

  /** The page has a password that holds. */
  function holds() {
    state.set({ needsPassword: false, applied: state.status?.pending ? state.applied : null });
  }

  /** The pending change goes back; a status that tells of it is not read while the password is refused. */
  function goesBack() {
    state.set({ applied: null, status: state.status && { ...state.status, pending: null } });
  }

  /** Tries the password of the page, unless somebody types one: the change that made it wrong may have gone back. */
  async function tryAgain() {
    const typed = /** @type {HTMLInputElement | null} */ (bar.querySelector('input[type=password]'));
    if (typed?.value || !mayHold) return;
    try {
      await load(state);
    } catch {
      return;
    }
    state.announce('The change was undone. You are logged in with the old password.');
    holds();
    goOn();
  }

  /** @param {'confirm_config' | 'cancel_config'} operation @param {string} done what is said then */
  async function end(operation, done) {
    try {
      await state.api.post(operation, { id: pendingId() });
      state.announce(done);
      if (operation === 'cancel_config') goesBack();
      else state.set({ applied: null });
    } catch (error) {
      fault.textContent = asProblem(error).status === 404 ? 'The change is not pending any more.' : said(error);
    }
  }

  function tick() {
    if (bar.hidden || state.deadline === null) return;
    const left = Math.max(0, Math.ceil((state.deadline - performance.now()) / 1000));
    if (left === 0 && state.needsPassword && pendingId()) return goesBack();
    const words = clockWords(left);
    if (clock.textContent === words) return;
    clock.textContent = state.isConnected || left > 0 ? words : '0:00 (so it was undone by now)';
    bar.classList.toggle('late', left <= 15);
    if (TOLD.includes(left)) state.announce(`It goes back in ${left} seconds.`);
  }

  function tellOfOthers() {
    const now = state.status?.pending?.id ?? '';
    if (before && !now && state.applied === before) {
      state.announce('The change is not pending any more.');
      state.set({ applied: null });
    }
    if (!before && now) state.announce('A change has to be confirmed.');
    before = now;
  }
}

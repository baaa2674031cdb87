// The start of the page: the login, the head, the bar of a pending change, and the view of the place.

import { KEYS, byId, clockWords, el, fill, firstOf, keyOf, note, parse, refill, runsWords, told } from './base.js';
import { showStreams, unmark } from './list.js';
import { Api, State, asProblem, conditionsOf, follow, load, stop } from './server.js';

/** @typedef {import('./base.js').Show} Show */
/** @typedef {import('./base.js').Child} Child */

/** The views by the first word of a place. The files of most are read when they are opened. @type {Record<string, (rest: string[]) => Promise<Show>>} */
const VIEWS = {
  ...Object.fromEntries(Object.keys(KEYS).map((view) =>
    [view, async (/** @type {string[]} */ rest) => (rest.length ? (attachBar(), await import('./entry.js')).showBlock :
      view === 'streams' ? showStreams : (await import('./groups.js')).showGroup)])),
  text: async () => (await import('./text.js')).showText,
  history: async () => (await import('./history.js')).showHistory,
  file: async () => (await import('./file.js')).showFile,
  status: async () => (await import('./status.js')).showStatus,
};

/** @type {Promise<void> | undefined} */
let attached;

/** Shows the edit that is not sent from now on; its keys hold before it is there. */
function attachBar() {
  attached ??= import('./review.js').then(({ attach }) => attach(byId('change'), state));
}

const main = byId('main');
const api = new Api(/** @type {HTMLMetaElement} */ (document.querySelector('[name=mediactl-api]')).content);
const state = new State(api, announce);
// Who may only look goes on with no edit.
state.subscribe(['role'], () => { if (!state.mayEdit) state.set({ draft: null }); });

/** Ends the view that is shown. */
let shown = new AbortController();

/** Leaves the view that is shown; the signal is that of the next one. */
function leave() {
  shown.abort();
  shown = new AbortController();
  fill(main);
  return shown.signal;
}

/** Says something to those who do not see the page. @param {string} text */
function announce(text) {
  byId('live').textContent = text;
}

function started() {
  if (state.applied !== state.status?.pending?.id) state.set({ applied: null });
  follow(state);
  showPlace();
  if (!byId('confirm').contains(document.activeElement)) main.focus({ preventScroll: true });
}

function logOut() {
  if (!state.mayLeave()) return;
  stop();
  api.logOut();
  leave();
  unmark();
  state.reset();
  forget();
  logIn();
}

const showNothing = /** @type {Show} */ ((place) => fill(place, el('p.warning', 'There is no such page.')));

async function showPlace() {
  if (state.role === null) return;
  const place = parse(location.hash);
  const view = place.view || 'streams';
  const signal = leave();
  main.scrollTop = 0;
  try {
    const show = Object.hasOwn(VIEWS, view) ? await told(main, VIEWS[view]?.(place.rest)) : showNothing;
    if (!signal.aborted) show(main, state, place, signal);
  } catch (error) {
    if (!signal.aborted) fill(main, el('p.problem', { role: 'alert' }, `${error}`), el('button', { onclick: showPlace }, 'Try again'));
  }
}

/** The head of the page: where one is, how the configuration is, and who is logged in. */
function showFrame() {
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('#head a'));
  byId('log-out').onclick = logOut;
  const theme = /** @type {HTMLSelectElement} */ (byId('theme'));
  theme.value = known().theme;
  theme.onchange = () => {
    document.documentElement.style.colorScheme = theme.value;
    remember({ theme: theme.value });
  };
  document.documentElement.style.colorScheme = theme.value;

  function draw() {
    const found = conditionsOf(state.status);
    if (!state.isConnected) found.unshift(['no connection', 'bad']);
    if (state.role === 'view') found.push(['read only', '']);
    const isBroken = state.status?.state.includes('broken');
    fill(byId('states'), found.map(([word, kind]) => el('span', { class: `state ${kind}` }, word)),
      isBroken && [`${runsWords(state.status)} `, el('a', { href: '#/file' }, state.mayEdit ? 'Mend it' : 'See it')]);
    fill(byId('who'), state.login);
    for (const link of links) link.ariaCurrent = parse(link.hash).view === (parse(location.hash).view || 'streams') ? 'page' : null;
  }

  addEventListener('hashchange', draw);
  state.subscribe(['status', 'role', 'isConnected', 'login'], draw);
  draw();
}

/** Listens for the keys that hold in every view. */
function listen() {
  addEventListener('keydown', (event) => {
    const { target } = event;
    const isTyped = target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select');
    if (isTyped || event.defaultPrevented || !state.role) return;
    const key = keyOf(event);
    if (key === '/') /** @type {HTMLElement | null} */ (document.querySelector('#main [type=search]'))?.focus();
    else if (key === '?') /** @type {HTMLDialogElement} */ (byId('keys')).showModal();
    else return;
    event.preventDefault();
  });
}

/** Puts the focus where Tab goes on in the view, when what had it has gone. */
function keepFocus() {
  let last = /** @type {Element | null} */ (null);
  addEventListener('focusin', ({ target }) => { last = /** @type {Element} */ (target); });
  const look = () => {
    if (document.activeElement !== document.body || !last || last.checkVisibility()) return;
    last = null;
    main.focus({ preventScroll: true });
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributeFilter: ['hidden'] });
}

/** Shows the first form. The password is in the memory of the page alone; a reload of this tab keeps the login. */
function logIn() {
  const { login } = known();
  const signal = leave();
  const own = el('p.own');
  const form = loginForm({ login, label: 'Password', word: 'Log in', done: started },
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
 * @param {{ login: string, label: string, word: string, done: () => unknown }} how `label` is that of the password
 * @param {...Child} head
 */
function loginForm({ login, label, word, done }, ...head) {
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
function said(error) {
  const { status, message, retryAfter } = asProblem(error);
  if (status === 401) return 'The login or the password is wrong.';
  return retryAfter ? `${message}, in ${retryAfter} s` : message;
}

const KEY = 'mediactl.session';

/**
 * `pending` is the ID of the change, `until` the time at which it goes back.
 * @typedef {{login: string, pending: string | null, until: number, theme: string}} Session
 */

/** @returns {Session} */
const known = () => ({ login: '', pending: null, until: 0, theme: '', ...JSON.parse(sessionStorage.getItem(KEY) ?? '{}') });

/** @param {Partial<Session>} facts */
function remember(facts) {
  sessionStorage.setItem(KEY, JSON.stringify({ ...known(), ...facts }));
}

/** Forgets who was logged in, and the change that was made here: somebody logged out. */
function forget() {
  const { theme } = known();
  sessionStorage.removeItem(KEY);
  if (theme) remember({ theme });
}

/** The seconds that are left when somebody who does not see the bar is told. */
const TOLD = [60, 30, 10];

/** How long nothing is pressed before *Keep* gets the focus, in milliseconds: a key that was meant for a text must not press it. */
const REST = 700;

/**
 * The pause in milliseconds after which the password of the page is tried again while it is refused and a change may go
 * back. The server counts a password that is wrong once, however often it is tried.
 */
const TRY = 5000;

/**
 * Shows the bar of a pending change: the countdown of the server, and the two ways to end it. Nothing ends it by itself. It
 * also asks for a password that holds no longer.
 */
function attachConfirm() {
  const bar = byId('confirm');
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
    const part = (/** @type {string} */ what, /** @type {Child[]} */ ...more) => el('p', el('strong', what), ' ', more);
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
      follow(state);
    };
    const form = loginForm({ login, label: isPending ? 'New password' : 'Password', word: isPending ? 'Log in and keep' : 'Log in', done });
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
    follow(state);
  }

  /** @param {'confirm_config' | 'cancel_config'} operation @param {string} done what is said then */
  async function end(operation, done) {
    try {
      await told(fault, state.api.post(operation, { id: pendingId() }), 'Waiting for the server …');
      fill(fault);
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

addEventListener('hashchange', ({ oldURL }) => {
  if (state.mayLeave()) showPlace();
  else note(new URL(oldURL).hash);
});
addEventListener('beforeunload', (event) => { if (state.draft) event.preventDefault(); });
showFrame();
attachConfirm();
state.subscribe(['draft'], () => { if (state.draft) attachBar(); });
listen();
keepFocus();
state.set({ applied: known().pending });
logIn();


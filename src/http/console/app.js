// The start of the page: the login, the parts that are always there, and the view of the place.

import { Api } from './api.js';
import { attach as attachConfirm } from './confirm_bar.js';
import { byId, fill } from './dom.js';
import { Drafts } from './drafts.js';
import { notSent } from './figures.js';
import { keepFocus, listen, showFrame } from './frame.js';
import { showHistory } from './history.js';
import { forget, known, showLogin } from './login.js';
import { follow, stop } from './load.js';
import { parse } from './router.js';
import { State } from './state.js';
import { showStatus } from './status.js';
import { showStream } from './entry_page.js';
import { showStreams, unmark } from './streams.js';
import { showText } from './text.js';
import { attach as attachTray } from './tray.js';
import { attach as attachVouch } from './vouch.js';

/** The views by the first word of a place. @type {Record<string, import('./router.js').Show>} */
const VIEWS = { text: showText, history: showHistory, status: showStatus };

const main = byId('main');
const api = new Api(/** @type {HTMLMetaElement} */ (document.querySelector('[name=mediactl-api]')).content);
const state = new State(api, announce, new Drafts(sessionStorage));
state.subscribe(['role'], () => state.drafts.enter(state.role));

/** Ends the view that is shown. */
let shown = new AbortController();

/** Leaves the view that is shown; the signal is that of the next one. */
function left() {
  shown.abort();
  shown = new AbortController();
  fill(main);
  return shown.signal;
}

/** Says something to those who do not see the page. @param {string} text */
function announce(text) {
  byId('live').textContent = text;
}

function logIn() {
  showLogin(main, state, known().login, started, left());
}

function started() {
  if (state.applied !== state.status?.pending?.id) state.set({ applied: null });
  follow(state);
  showPlace();
  if (!byId('confirm').contains(document.activeElement)) main.focus({ preventScroll: true });
}

function logOut() {
  const count = state.drafts.list.length;
  if (count && !window.confirm(`${notSent(count)}. Discard and log out?`)) return;
  stop();
  api.logOut();
  state.drafts.clear();
  unmark();
  state.reset();
  forget();
  logIn();
}

function showPlace() {
  if (state.role === null) return;
  const place = parse(location.hash);
  main.scrollTop = 0;
  // A stream has a view of its own.
  const show = VIEWS[place.view] ?? (place.rest.length ? showStream : showStreams);
  show(main, state, place, left());
}

showFrame(state, logOut);
attachConfirm(byId('confirm'), state, () => follow(state));
attachTray(byId('tray'), state);
attachVouch(state);
listen(state);
keepFocus(main);
addEventListener('hashchange', showPlace);
state.set({ applied: known().pending });
logIn();

// The start of the page: the login, the parts that are always there, and the view of the place.

import { Api } from './api.js';
import { attach as attachConfirm } from './confirm_bar.js';
import { byId, fill } from './dom.js';
import { Drafts } from './drafts.js';
import { notSent } from './figures.js';
import { keepFocus, listen, showFrame } from './frame.js';
import { show as showHistory } from './history.js';
import { forget, known, remember, showLogin } from './login.js';
import { Poll } from './load.js';
import { parse } from './router.js';
import { State } from './state.js';
import { show as showStatus } from './status.js';
import { show as showStream } from './entry_page.js';
import { show as showStreams, unmark } from './streams.js';
import { show as showText } from './text.js';
import { attach as attachTray } from './tray.js';
import { attach as attachVouch } from './vouch.js';

/** @typedef {import('./router.js').Show} Show */

/** The views by the first word of a place; a stream has one of its own. @type {Record<string, Show>} */
const VIEWS = {
  streams: (main, state, place) => (place.rest.length ? showStream : showStreams)(main, state, place),
  text: showText,
  history: showHistory,
  status: showStatus,
};

const main = byId('main');
const api = new Api(document.querySelector('meta[name=mediactl-api]')?.getAttribute('content') ?? '');
const state = new State(api, announce, new Drafts(sessionStorage));
const poll = new Poll(state);
state.subscribe((_, changed) => { if (changed.has('login') && state.login) state.drafts.enter(state.login); });

/** Leaves the view that is shown. */
let leave = () => {};

/** Says something to those who do not see the page. @param {string} text */
function announce(text) {
  byId('live').textContent = text;
}

function logIn() {
  leave();
  leave = showLogin(main, state, known().login, started);
}

/** @param {string} login */
function started(login) {
  remember({ login });
  if (state.applied !== state.status?.pending?.id) state.set({ applied: null });
  poll.start();
  showPlace();
  if (!byId('confirm').contains(document.activeElement)) main.focus({ preventScroll: true });
}

function logOut() {
  const count = state.drafts.list.length;
  if (count && !window.confirm(`${notSent(count)}. Discard and log out?`)) return;
  poll.stop();
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
  leave();
  fill(main);
  main.scrollTop = 0;
  leave = (VIEWS[place.view] ?? showStreams)(main, state, place);
}

showFrame(byId('head'), state, logOut);
attachConfirm(byId('confirm'), state, () => poll.start());
attachTray(byId('tray'), state);
attachVouch(state);
listen(state);
keepFocus(main);
addEventListener('hashchange', showPlace);
state.set({ applied: known().pending });
logIn();

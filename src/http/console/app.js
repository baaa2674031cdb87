// The start of the page: the login, the parts that are always there, and the view of the place.

import { Api } from './api.js';
import { attach as attachBar } from './change_bar.js';
import { attach as attachConfirm } from './confirm_bar.js';
import { byId, el, fill } from './dom.js';
import { mayLeave } from './draft.js';
import { keepFocus, listen, showFrame } from './frame.js';
import { showHistory } from './history.js';
import { forget, known, showLogin } from './login.js';
import { follow, stop } from './load.js';
import { note, parse } from './router.js';
import { State } from './state.js';
import { showStatus } from './status.js';
import { showStream } from './entry_page.js';
import { showStreams, unmark } from './streams.js';
import { showText } from './text.js';

/** The views by the first word of a place. @type {Record<string, import('./router.js').Show>} */
const VIEWS = { text: showText, history: showHistory, status: showStatus };

const main = byId('main');
const api = new Api(/** @type {HTMLMetaElement} */ (document.querySelector('[name=mediactl-api]')).content);
const state = new State(api, announce);
// Who may only look goes on with no edit.
state.subscribe(['role'], () => { if (!state.mayEdit) state.set({ draft: null }); });

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
  if (!mayLeave(state)) return;
  stop();
  api.logOut();
  unmark();
  state.reset();
  forget();
  logIn();
}

/** @type {import('./router.js').Show} */
const showNothing = (place) => fill(place, el('p.warning', 'There is no such page.'));

function showPlace() {
  if (state.role === null) return;
  const place = parse(location.hash);
  main.scrollTop = 0;
  // A stream has a view of its own.
  const ofStreams = place.rest.length ? showStream : showStreams;
  const others = Object.hasOwn(VIEWS, place.view) ? VIEWS[place.view] : showNothing;
  const show = ['', 'streams'].includes(place.view) ? ofStreams : others;
  show(main, state, place, left());
}

addEventListener('hashchange', ({ oldURL }) => {
  if (mayLeave(state)) showPlace();
  else note(new URL(oldURL).hash);
});
addEventListener('beforeunload', (event) => { if (state.draft) event.preventDefault(); });
showFrame(state, logOut);
attachConfirm(byId('confirm'), state, () => follow(state));
attachBar(byId('change'), state);
listen(state);
keepFocus(main);
state.set({ applied: known().pending });
logIn();

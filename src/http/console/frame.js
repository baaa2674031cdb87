// The head of the page: where one is, how the configuration is, and who is logged in. The keys that hold everywhere, and
// where the focus goes when what had it is gone.

import { byId, el, fill, keyOf } from './dom.js';
import { parse } from './router.js';
import { conditionsOf } from './state.js';

/** @typedef {import('./state.js').State} State */

/** @param {State} state @param {() => void} logOut */
export function showFrame(state, logOut) {
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('#head a'));
  byId('log-out').onclick = logOut;

  function draw() {
    const found = conditionsOf(state.status);
    if (!state.isConnected) found.unshift(['no connection', 'bad']);
    if (state.role === 'view') found.push(['read only', '']);
    fill(byId('states'), found.map(([word, kind]) => el('span', { class: `state ${kind}` }, word)));
    fill(byId('who'), state.login);
    for (const link of links) link.ariaCurrent = parse(link.hash).view === parse(location.hash).view ? 'page' : null;
  }

  addEventListener('hashchange', draw);
  state.subscribe(['status', 'role', 'isConnected', 'login'], draw);
  draw();
}

/** Listens for the keys that hold in every view. @param {State} state */
export function listen(state) {
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

/** Puts the focus where Tab goes on in the view, when what had it has gone. @param {HTMLElement} main */
export function keepFocus(main) {
  /** @type {Element | null} */
  let last = null;
  addEventListener('focusin', ({ target }) => { last = /** @type {Element} */ (target); });
  const look = () => {
    if (document.activeElement !== document.body || !last || last.checkVisibility()) return;
    last = null;
    main.focus({ preventScroll: true });
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributeFilter: ['hidden'] });
}

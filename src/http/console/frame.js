// The head of the page: where one can go, how the configuration is, and who is logged in. The keys that hold everywhere, and
// where the focus goes when what had it is gone.

import { el, fill } from './dom.js';
import { hashOf, parse } from './router.js';
import { conditionsOf } from './state.js';

/** @typedef {import('./state.js').State} State */

/** The places of the menu, with their words. @type {[string, string][]} */
const MENU = [
  ['streams', 'Streams'],
  ['text', 'Text'],
  ['history', 'History'],
  ['status', 'Status'],
];

/**
 * @param {HTMLElement} head
 * @param {State} state
 * @param {() => void} logOut
 */
export function showFrame(head, state, logOut) {
  const menu = el('nav', { 'aria-label': 'Views' });
  const words = el('div.words');
  const person = el('div.person');
  fill(head, el('span.brand', 'mediactl'), menu, words, person);

  function draw() {
    const isIn = state.role !== null;
    const here = parse(location.hash).view;
    /** @param {[string, string]} item */
    const link = ([view, word]) => el('a', { href: hashOf(view), 'aria-current': view === here ? 'page' : null }, word);
    fill(menu, ...(isIn ? MENU.map(link) : []));
    fill(words, ...(isIn ? states(state) : []));
    fill(person, isIn && el('span.who', { title: 'who is logged in' }, state.login),
      isIn && el('button.plain', { onclick: logOut }, 'Log out'));
  }

  addEventListener('hashchange', draw);
  state.subscribe((_, changed) => {
    if (['status', 'role', 'isConnected', 'login'].some((name) => changed.has(/** @type {any} */ (name)))) draw();
  });
  draw();
}

/** @param {State} state */
function states(state) {
  const found = conditionsOf(state.status);
  if (!state.isConnected) found.unshift(['no connection', 'bad']);
  if (!state.mayEdit) found.push(['read only', 'quiet']);
  return found.map(([word, kind]) => el('span', { class: `state ${kind}` }, word));
}

/** All keys, also those of single views. */
const KEYS = [
  ['/', 'goes to the filter or the search'],
  ['↑ ↓', 'goes to another row; also Page Up, Page Down, Home and End'],
  ['Enter', 'opens the row'],
  ['Space', 'marks the row'],
  ['Esc', 'empties the filter, closes what is open'],
  ['Ctrl+Enter', 'reviews the edits, and then applies them'],
  ['?', 'shows this list'],
];

/** @param {import('./state.js').State} state */
export function listen(state) {
  const dialog = el('dialog.keys', { 'aria-labelledby': 'keys-title' },
    el('h2', { id: 'keys-title' }, 'Keys'),
    el('dl', ...KEYS.flatMap(([key, what]) => [el('dt', el('kbd', key)), el('dd', what)])),
    el('form', { method: 'dialog' }, el('button.primary', 'Close')));
  document.body.append(dialog);

  addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    const isTyped = target instanceof Element && target.closest('input:not([type=checkbox]), textarea, select');
    if (isTyped || ctrlKey || metaKey || altKey || event.defaultPrevented || state.role === null) return;
    if (key === '/') document.querySelector('#main')?.querySelector(/** @type {'input'} */ ('input[type=search]'))?.focus();
    else if (key === '?') dialog.showModal();
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
    if (document.activeElement !== document.body || !last || (last.isConnected && last.checkVisibility())) return;
    last = null;
    main.focus({ preventScroll: true });
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributeFilter: ['hidden'] });
}

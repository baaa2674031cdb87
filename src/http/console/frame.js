// The head of the page: where one can go, how the configuration is, and who is logged in.

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
  const words = el('div', { class: 'words' });
  const person = el('div', { class: 'person' });
  fill(head, el('span', { class: 'brand' }, 'mediactl'), menu, words, person);

  function draw() {
    const isIn = state.role !== null;
    const here = parse(location.hash).view;
    /** @param {[string, string]} item */
    const link = ([view, word]) => el('a', { href: hashOf(view), 'aria-current': view === here ? 'page' : null }, word);
    fill(menu, ...(isIn ? MENU.map(link) : []));
    fill(words, ...(isIn ? states(state) : []));
    fill(person, isIn && el('span', { class: 'who', title: 'who is logged in' }, state.login),
      isIn && el('button', { type: 'button', class: 'plain', onclick: logOut }, 'Log out'));
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

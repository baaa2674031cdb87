// Keys that hold everywhere, and the list of all keys.

import { el } from './dom.js';

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
  const dialog = el('dialog', { class: 'keys', 'aria-labelledby': 'keys-title' },
    el('h2', { id: 'keys-title' }, 'Keys'),
    el('dl', {}, ...KEYS.flatMap(([key, what]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, what)])),
    el('form', { method: 'dialog' }, el('button', { class: 'primary' }, 'Close')));
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

// The documentation of a directive.

import { el } from './dom.js';

/**
 * @param {import('./vocabulary.js').Meaning | undefined} meaning
 * @param {string} word the word at the cursor
 */
export function meaningView(meaning, word) {
  if (!meaning) return el('p', { class: 'quiet' }, word ? 'There is no documentation for this word.' : 'Put the cursor on a word to read what it means.');
  const { keyword, description, form, unit, usual, example } = meaning;
  const row = (/** @type {string} */ name, /** @type {string} */ value) =>
    value ? [el('dt', {}, name), el('dd', {}, value)] : [];
  return el('div', {},
    el('p', {}, el('code', { class: 'w-keyword' }, keyword), ` ${description}`),
    el('dl', { class: 'meaning' }, ...row('Form', form.replace(/`/g, '')), ...row('Unit', unit),
      ...row('Without it', usual.replace(/`/g, '')), ...row('Example', example)));
}

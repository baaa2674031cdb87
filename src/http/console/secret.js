// Secrets of an entry: hidden, and shown on request, one at a time, for half a minute.

import { el, fill } from './dom.js';
import { pathOf, textOf } from './path.js';
import { MASK } from './words.js';
import { Problem } from './api.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('./path.js').Segment} Segment
 */

/** The seconds for which a secret is shown. */
const SECONDS = 30;

/** Hides the secret that is shown. @type {() => void} */
let hideShown = () => {};

/** How often one was asked for, or all were hidden: the answer to an earlier question is not shown. */
let turn = 0;

/** Hides the secret that is shown, if there is one, and shows none that was asked for. */
export function hideSecret() {
  turn += 1;
  hideShown();
}

/**
 * The secrets of an entry with a button for each; `null` if it has none, or for who may not see them.
 * @param {State} state
 * @param {readonly Segment[]} segments the path of the entry
 * @param {unknown} value the entry as JSON, masked
 */
export function secretsView(state, segments, value) {
  const found = state.mayEdit ? masked(value) : [];
  if (found.length === 0) return null;
  return el('section.secrets', { 'aria-label': 'Secrets' }, el('h2', 'Secrets'),
    el('ul', ...found.map((inner) => secret(state, [...segments, ...inner], pathOf(inner) || pathOf(segments)))));
}

/**
 * The paths of the values that hold a mask. What is inherited is no part of the entry.
 * @param {unknown} value
 * @param {Segment[]} [at]
 * @returns {Segment[][]}
 */
export function masked(value, at = []) {
  if (typeof value === 'string') return MASK.test(value) ? [at] : [];
  if (Array.isArray(value)) return value.flatMap((item, place) => masked(item, [...at, place]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).filter(([name]) => !name.endsWith('_global')).flatMap(([name, inner]) => masked(inner, [...at, name]));
}

/**
 * @param {State} state
 * @param {readonly Segment[]} segments
 * @param {string} name
 */
function secret(state, segments, name) {
  const box = el('span.secret');
  const left = el('span.quiet');
  let timer = 0;
  const hide = () => {
    clearInterval(timer);
    hideShown = () => {};
    fill(box, '••••••');
    fill(left);
    button.textContent = 'Show';
  };
  const show = async () => {
    hideSecret();
    const mine = turn;
    try {
      const { body } = await state.api.get('read_config', { path: pathOf(segments), secrets: 'shown' });
      if (mine !== turn) return;
      fill(box, textOf(body));
    } catch (error) {
      if (mine === turn) fill(box, error instanceof Problem ? error.message : 'The secret can’t be shown.');
      return;
    }
    hideShown = hide;
    button.textContent = 'Hide';
    const until = performance.now() + SECONDS * 1000;
    const tick = () => {
      const seconds = Math.ceil((until - performance.now()) / 1000);
      if (seconds <= 0) hide();
      else fill(left, `hidden in ${seconds} s`);
    };
    tick();
    timer = window.setInterval(tick, 500);
  };
  const button = el('button.small', { type: 'button', 'aria-label': `Show or hide ${name}`,
    onclick: () => { if (button.textContent === 'Hide') hide(); else void show(); } }, 'Show');
  hide();
  return el('li', el('code', name), box, button, left);
}

// Secrets of an entry: hidden, and shown on request, one at a time, for half a minute.

import { el, fill } from './dom.js';
import { pathOf, textOf } from './path.js';
import { MASK } from './words.js';
import { asProblem } from './api.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('./path.js').Segment} Segment
 */

/** The seconds for which a secret is shown. */
const SECONDS = 30;

/** What is shown else. */
const HIDDEN = '••••••';

/** Ends what is shown, or was asked for. */
let shown = new AbortController();

/** Hides the secret that is shown, if there is one, and shows none that was asked for. */
export function hideSecret() {
  shown.abort();
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
function masked(value, at = []) {
  if (typeof value === 'string') return MASK.test(value) ? [at] : [];
  const isOwn = (/** @type {string} */ name) => !name.endsWith('_global');
  return Object.entries(value ?? {}).flatMap(([name, inner]) =>
    isOwn(name) ? masked(inner, [...at, Array.isArray(value) ? Number(name) : name]) : []);
}

/**
 * @param {State} state
 * @param {readonly Segment[]} segments
 * @param {string} name
 */
function secret({ api }, segments, name) {
  const box = el('span.secret', HIDDEN);
  const left = el('span.quiet');
  const show = async () => {
    hideSecret();
    const { signal } = shown = new AbortController();
    const answer = await api.get('read_config', { path: pathOf(segments), secrets: 'shown' }, { signal }).catch(asProblem);
    if (signal.aborted) return;
    fill(box, 'body' in answer ? textOf(answer.body) : answer.message);
    button.textContent = 'Hide';
    const until = performance.now() + SECONDS * 1000;
    const tick = () => {
      const seconds = Math.ceil((until - performance.now()) / 1000);
      fill(left, `hidden in ${seconds} s`);
      if (seconds <= 0) hideSecret();
    };
    const timer = setInterval(tick, 500);
    signal.addEventListener('abort', () => {
      clearInterval(timer);
      fill(box, HIDDEN);
      fill(left);
      button.textContent = 'Show';
    });
    tick();
  };
  const button = el('button.small', { 'aria-label': `Show or hide ${name}`,
    onclick: () => { if (button.textContent === 'Hide') hideSecret(); else show(); } }, 'Show');
  return el('li', el('code', name), box, button, left);
}

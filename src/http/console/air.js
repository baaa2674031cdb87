// What is on air of one stream: its figures as they are now, and a line of the time since the page was opened.

import { counted, el, fill, set } from './base.js';
import { airOf, bitrateWords, missingWords, stateView } from './rows.js';

/** @typedef {import('./server.js').State} State */

/** What is known of a stream, as it is now and since the page was opened. @param {State} state @param {string} name @param {() => any} stream the values that hold; nothing if there is none @param {AbortSignal} signal */
export function airView(state, name, stream, signal) {
  const box = el('section.live', { 'aria-label': 'On air' });
  const age = el('span.quiet');
  const tick = () => { age.textContent = `${Math.round((Date.now() - state.figures.at) / 1000)} s ago`; };
  function draw() {
    const { figures } = state;
    box.hidden = !stream();
    const { state: word, bitrate, viewers } = airOf(figures, name, stream());
    const missing = missingWords(figures);
    fill(box, missing && el('p', { class: figures.fault ? 'warning' : 'quiet' }, missing), figures.isKnown && figures.at > 0 && [
      stateView(word), el('span.figure', bitrateWords(bitrate) || 'no bitrate'),
      el('span.figure', typeof viewers === 'number' ? counted(viewers, 'viewer') : 'viewers not known'), age,
      chart(figures.samples.map(({ at, streams }) => [at, streams[name]?.bitrate]))]);
    tick();
  }
  const timer = setInterval(tick, 1000);
  signal.addEventListener('abort', () => clearInterval(timer));
  state.subscribe(['figures', 'whole'], draw, signal);
  draw();
  return box;
}

const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} tag @param {import('./base.js').Attributes} attributes @param {...Node} children */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

const [WIDTH, HEIGHT] = [600, 48];

/** Bitrates as a line, with gaps where none is known. @param {[number, number | undefined][]} samples */
function chart(samples) {
  const known = samples.flatMap(([, bits]) => bits ?? []);
  if (known.length < 2) return null;
  const [first = 0, last = 1] = [samples[0]?.[0], samples.at(-1)?.[0]];
  const most = Math.max(...known, 1);
  let isOpen = false;
  const path = samples.map(([at, bits]) => {
    if (typeof bits !== 'number') return (isOpen = false) || '';
    const sign = isOpen ? 'L' : 'M';
    isOpen = true;
    return `${sign}${((at - first) / (last - first || 1) * WIDTH).toFixed(1)} ${(HEIGHT - 2 - bits / most * (HEIGHT - 4)).toFixed(1)}`;
  }).join('');
  const words = `Bitrate since ${new Date(first).toLocaleTimeString('en-GB')}: ${bitrateWords(Math.min(...known))} to ${bitrateWords(most)}`;
  return el('figure.chart', el('figcaption.quiet', words),
    svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': words },
      svg('path', { d: path, 'vector-effect': 'non-scaling-stroke' })));
}

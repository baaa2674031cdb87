// Small plots of the server's figures while they are looked at.

import { el, fill } from './dom.js';

/** The time between two looks at the figures, in milliseconds. */
const PAUSE = 5000;

/** The points of a plot. */
const MOST = 60;

/** The plots, so that a command with many figures leaves the page usable. */
const MOST_PLOTS = 24;

/** Figures that say how the configuration is, and not how the server does. */
const STILL = /^(?:node|streams (?:total|static|ondemand|by_source_scheme))/;

/**
 * @param {import('./state.js').State} state
 * @param {AbortSignal} signal
 */
export function plotsView({ api }, signal) {
  const room = el('div.plots', el('p.quiet', 'Figures are plotted here while this page is open.'));
  /** @type {Map<string, number[]>} */
  const series = new Map();
  let last = { count: 0, at: 0 };

  /** @param {any} runtime as `GET runtime` has it */
  function add({ server, config: _, archives: __, ...others }) {
    const count = Object.values(server.requests?.by_status ?? {}).reduce((sum, each) => sum + Number(each), 0);
    const at = performance.now();
    put('Connections', server.connections);
    if (last.at) put('Requests a minute', Math.round((count - last.count) / (at - last.at) * 60_000));
    last = { count, at };
    if (server.rss_bytes) put('Memory, MiB', Math.round(server.rss_bytes / 104857.6) / 10);
    for (const [name, value] of numbers(others, '')) if (!STILL.test(name)) put(name, value);
    fill(room, [...series].slice(0, MOST_PLOTS).map(([name, values]) => plot(name, values)));
  }

  /**
   * @param {string} name
   * @param {number} value
   */
  function put(name, value) {
    series.set(name, [...series.get(name) ?? [value], value].slice(-MOST));
  }

  async function look() {
    if (!document.hidden) await api.get('runtime').then(({ body }) => add(body.runtime)).catch(() => {});
    if (!signal.aborted) setTimeout(look, PAUSE);
  }

  void look();
  return el('div.sheet', el('h2', 'Figures'), room);
}

/**
 * The numbers of an object, by their path.
 * @param {any} value
 * @param {string} path
 * @returns {[string, number][]}
 */
function numbers(value, path) {
  if (typeof value === 'number') return [[path, value]];
  return Object.entries(Object(value)).flatMap(([name, below]) => numbers(below, `${path} ${name}`.trim()));
}

/**
 * @param {string} name
 * @param {number[]} values
 */
function plot(name, values) {
  const [least, most] = [Math.min(...values, 0), Math.max(...values, 1)];
  const line = el('div.line');
  const points = values.map((value, at) =>
    `${100 - (values.length - 1 - at) / (MOST - 1) * 100}% ${100 - (value - least) / (most - least) * 95}%`);
  line.style.clipPath = `polygon(100% 100%, ${100 - (values.length - 1) / (MOST - 1) * 100}% 100%, ${points})`;
  return el('figure', el('figcaption', name, ' ', el('strong', values.at(-1))), el('div.plot', line));
}

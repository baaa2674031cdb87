// Small plots of figures, as long as the page is open.

import { el, fill, svg } from './dom.js';

/** The points of a plot. */
const MOST = 60;

/** The plots, so that a command with many figures leaves the page usable. */
const MOST_PLOTS = 24;

/** Figures that say how the configuration is, and not how the server does. */
const STILL = /^(?:node|streams (?:total|static|ondemand|by_source_scheme))/;

/** The figures of the server itself: what they are, and how they are written. @type {Record<string, string>} */
const NAMES = { connections: 'Connections', requests: 'Requests a minute', memory: 'Memory, MiB' };

export class Plots {
  /** @type {Map<string, number[]>} */
  #series = new Map();
  /** @type {{count: number, at: number} | null} */
  #last = null;

  /** @param {HTMLElement} box */
  constructor(box) {
    this.room = el('div', { class: 'plots' }, el('p', { class: 'quiet' }, 'Figures are plotted here while this page is open.'));
    box.append(this.room);
  }

  /** Takes the next figures, as `GET runtime` has them. @param {any} runtime */
  add(runtime) {
    const { server, config: _, archives: __, ...others } = runtime;
    const count = Object.values(server.requests?.by_status ?? {}).reduce((sum, each) => sum + Number(each), 0);
    const at = performance.now();
    const minutes = this.#last ? (at - this.#last.at) / 60_000 : 0;
    this.#put('connections', server.connections);
    if (this.#last && minutes) this.#put('requests', Math.round((count - this.#last.count) / minutes));
    this.#last = { count, at };
    if (server.rss_bytes) this.#put('memory', Math.round(server.rss_bytes / 104857.6) / 10);
    for (const [name, value] of numbers(others, '')) if (!STILL.test(name)) this.#put(name, value);
    fill(this.room, ...[...this.#series].slice(0, MOST_PLOTS).map(([name, values]) => plot(NAMES[name] ?? name, values)));
  }

  /**
   * @param {string} name
   * @param {unknown} value
   */
  #put(name, value) {
    if (typeof value !== 'number') return;
    const values = this.#series.get(name) ?? [];
    values.push(value);
    this.#series.set(name, values.slice(-MOST));
  }
}

/**
 * The numbers of an object, by their path.
 * @param {any} value
 * @param {string} path
 * @returns {[string, number][]}
 */
function numbers(value, path) {
  if (typeof value === 'number') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, below]) => numbers(below, path ? `${path} ${name}` : name));
}

/**
 * @param {string} name
 * @param {number[]} values
 */
function plot(name, values) {
  const [least, most] = [Math.min(...values, 0), Math.max(...values, 1)];
  const y = (/** @type {number} */ value) => 30 - ((value - least) / (most - least)) * 28;
  const x = (/** @type {number} */ at) => 120 - (120 * (values.length - 1 - at)) / (MOST - 1);
  const points = [values[0] ?? 0, ...values].map((value, at) => `${x(at - 1).toFixed(1)},${y(value).toFixed(1)}`);
  return el('figure', {}, el('figcaption', {}, name, ' ', el('strong', {}, values.at(-1) ?? '')),
    svg('svg', { viewBox: '0 0 120 32', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      svg('polyline', { points: points.join(' ') })));
}

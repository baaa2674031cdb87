// The view of the server: its status in words, small plots of its figures, and the nodes of a cluster.

import { messageOf, Problem } from './api.js';
import { el, fill, svg } from './dom.js';
import { hashOf } from './router.js';
import { conditionsOf } from './state.js';

/** @typedef {import('./state.js').State} State */

/** The time between two looks at the figures, in milliseconds. */
const PAUSE = 5000;

/** States of a node that are as they should be. */
const WELL = ['running', 'canary'];

/** @type {import('./router.js').Show} */
export function show(main, state) {
  const words = el('div.sheet');
  const nodes = el('div.sheet', { hidden: true });
  const figures = el('div.sheet', el('h2', 'Figures'));
  fill(main, el('h1', 'Status'), el('div.status-page', words, figures, nodes));
  const plots = new Plots(figures);
  let timer = 0;
  let isLeft = false;

  async function look() {
    try {
      if (!document.hidden) plots.add((await state.api.get('runtime')).body.runtime);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
    if (!isLeft) timer = window.setTimeout(look, PAUSE);
  }

  async function showNodes() {
    nodes.hidden = !state.status?.nodes;
    if (nodes.hidden) return;
    try {
      const { body } = await state.api.get('nodes');
      if (!isLeft) fill(nodes, el('h2', `Nodes (${body.length})`), nodeTable(body));
    } catch (error) {
      fill(nodes, el('h2', 'Nodes'), el('p.fault', messageOf(error)));
    }
  }

  function draw() {
    fill(words, el('h2', 'Configuration'), ...statusWords(state));
    void showNodes();
  }

  const unsubscribe = state.subscribe((_, changed) => { if (changed.has('status')) draw(); });
  draw();
  void look();
  return () => {
    isLeft = true;
    clearTimeout(timer);
    unsubscribe();
  };
}

/** @param {State} state */
function statusWords({ status }) {
  if (!status) return [];
  const { counts, last_change: change, last_reload: reload, revisions, versions } = status;
  const conditions = conditionsOf(status).map(([, kind, meaning]) => [kind, meaning]);
  if (conditions.length === 0) conditions.push(['good', 'The server runs what is in the file.']);
  if (status.pending) conditions.push(['warn', 'A change has to be confirmed.']);
  return [
    el('ul.plain-list', ...conditions.map(([kind, text]) => el('li', el('span', { class: `state ${kind}` }, kind === 'good' ? 'in order' : 'attention'), ' ', text))),
    facts([
      ['Streams', `${counts.streams}: ${counts.static} static, ${counts.ondemand} on demand`],
      ['Faults', counts.errors || counts.warnings ? `${counts.errors} errors, ${counts.warnings} warnings` : 'none'],
      ['Last change', change && withHistory([when(change.at), change.by && `by ${change.by}`, change.operation, change.message && `“${change.message}”`])],
      ['Last reload', reload && sentence([when(reload.at), reload.ok ? 'succeeded' : 'failed', reload.ms !== null && `after ${reload.ms} ms`])],
      ['Reload command', reload?.output && el('pre.output', { tabindex: 0 }, reload.output)],
      ['Runs', el('code', revisions.running.slice(0, 12))],
      ['File', el('code', revisions.file.slice(0, 12))],
      ['Version', `mediactl ${versions.mediactl}, API ${versions.api}`],
    ]),
  ];
}

/** @param {[string, import('./dom.js').Child][]} rows */
function facts(rows) {
  return el('dl.facts', ...rows.filter(([, value]) => value).flatMap(([name, value]) => [el('dt', name), el('dd', value)]));
}

/** @param {any[]} records */
function nodeTable(records) {
  const isWell = (/** @type {any} */ node) => WELL.includes(node.state) && node.serial === node.wanted && !node.is_twin;
  const change = (/** @type {number | null} */ serial) => serial === null ? 'nothing' : `change ${serial}`;
  const row = (/** @type {any} */ node) => el('tr',
    el('th', { scope: 'row' }, node.node), el('td', el('span', { class: `state ${isWell(node) ? 'good' : WELL.includes(node.state) ? 'warn' : 'bad'}` }, node.state)),
    el('td', node.serial === node.wanted ? change(node.serial) : `${change(node.serial)}, should run ${change(node.wanted)}`),
    el('td', node.is_twin ? 'Another process has this name, too.' : node.why));
  const sorted = records.toSorted((a, b) => Number(isWell(a)) - Number(isWell(b)));
  return el('div.table', { tabindex: 0, role: 'region', 'aria-label': 'Nodes' }, el('table',
    el('thead', el('tr', ...['Node', 'State', 'Runs', 'Why'].map((word) => el('th', { scope: 'col' }, word)))),
    el('tbody', ...sorted.map(row))));
}

/** @param {unknown[]} parts */
function sentence(parts) {
  return parts.filter(Boolean).join(', ');
}

/** @param {unknown[]} parts */
function withHistory(parts) {
  return el('span', sentence(parts), ' · ', el('a', { href: hashOf('history') }, 'History'));
}

/** A time as this place writes it. @param {string} at */
function when(at) {
  return new Date(at).toLocaleString();
}

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
    this.room = el('div.plots', el('p.quiet', 'Figures are plotted here while this page is open.'));
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
  return el('figure', el('figcaption', name, ' ', el('strong', values.at(-1) ?? '')),
    svg('svg', { viewBox: '0 0 120 32', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      svg('polyline', { points: points.join(' ') })));
}

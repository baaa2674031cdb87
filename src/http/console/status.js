// The view of the server: its status in words, its figures, and the nodes of a cluster.

import { counted, el, fill, timeView } from './base.js';
import { conditionsOf } from './server.js';
import { problemView } from './views.js';

/** @typedef {import('./server.js').State} State */

/** @type {import('./base.js').Show} */
export function showStatus(main, state, _, signal) {
  const words = el('div.sheet');
  const nodes = el('div.sheet', { hidden: true });
  fill(main, el('h1', 'Status'), el('div.status-page', words, figuresView(state, signal), nodes));

  async function draw() {
    fill(words, el('h2', 'Configuration'), statusWords(state));
    try {
      const { body } = await state.api.get('nodes');
      nodes.hidden = !body.length;
      fill(nodes, el('h2', `Nodes (${body.length})`), nodeTable(body));
    } catch (error) {
      nodes.hidden = false;
      fill(nodes, el('h2', 'Nodes'), problemView(error));
    }
  }

  state.subscribe(['status'], draw, signal);
  draw();
}

/** @param {State} state */
function statusWords({ status }) {
  if (!status) return null;
  const { counts, last_change: change, last_reload: reload, pending, revisions, versions } = status;
  const conditions = conditionsOf(status);
  if (conditions.length === 0) conditions.push(['in order', 'good', 'The server runs what is in the file.']);
  if (pending) conditions.push(['pending', 'warn', 'A change has to be confirmed.']);
  /** @type {[string, import('./base.js').Child][]} */
  const facts = [
    ['Streams', `${counts.streams}: ${counts.static} static, ${counts.ondemand} on demand`],
    ['Faults', counts.errors || counts.warnings ? `${counted(counts.errors, 'error')}, ${counted(counts.warnings, 'warning')}` : 'none'],
    ['Last change', change && [listed(timeView(change.at), change.by && `by ${change.by}`, change.operation, change.message && `“${change.message}”`), ' · ',
      el('a', { href: '#/history' }, 'History')]],
    ['Last reload', reload && listed(timeView(reload.at), reload.ok ? 'succeeded' : 'failed', reload.ms !== null && `after ${reload.ms} ms`)],
    ['Reload command', reload?.output && el('pre.output', { tabindex: 0 }, reload.output)],
    ['Runs', el('code', revisions.running.slice(0, 12))],
    ['File', el('code', revisions.file.slice(0, 12))],
    ['Version', `mediactl ${versions.mediactl}, API ${versions.api}`],
  ];
  return [
    el('ul.plain-list', conditions.map(([word, kind, text]) =>
      el('li', el('span', { class: `state ${kind}` }, word), ' ', text))),
    el('dl.facts', facts.map(([name, value]) => value && [el('dt', name), el('dd', value)])),
  ];
}

/** Parts with commas between them. @param {...import('./base.js').Child} parts */
const listed = (...parts) => parts.filter(Boolean).map((part, at) => [at > 0 && ', ', part]);

/** @param {any[]} records */
function nodeTable(records) {
  const kindOf = (/** @type {any} */ { state, serial, wanted, why }) =>
    !['running', 'canary'].includes(state) ? 'bad' : serial !== wanted || why ? 'warn' : 'good';
  const change = (/** @type {number | null} */ serial) => serial === null ? 'nothing' : `change ${serial}`;
  const row = (/** @type {any} */ { node, state, serial, wanted, why, kind }) =>
    el('tr', el('th', { scope: 'row' }, node), el('td', el('span', { class: `state ${kind}` }, state)),
      el('td', change(serial), serial !== wanted && `, should run ${change(wanted)}`),
      el('td', why));
  const sorted = records.map((record) => ({ ...record, kind: kindOf(record) })).sort((a, b) => Number(a.kind === 'good') - Number(b.kind === 'good'));
  return el('div.table', { tabindex: 0, role: 'region', 'aria-label': 'Nodes' }, el('table',
    el('thead', el('tr', ['Node', 'State', 'Runs', 'Why'].map((word) => el('th', { scope: 'col' }, word)))),
    el('tbody', sorted.map(row))));
}

/** The time between two looks at the figures, in milliseconds. */
const PAUSE = 5000;

/** The figures that are shown, so that a command with many leaves the page usable. */
const MOST = 24;

/** Figures that say how the configuration is, and not how the server does; those of streams stand in their list. */
const STILL = /^(?:node|streams) /;

/** The figures of the server and of its runtime command, as they are now. @param {import('./server.js').State} state @param {AbortSignal} signal */
function figuresView({ api }, signal) {
  const room = el('div', el('p.quiet', 'No figures yet.'));

  async function look() {
    const runtime = document.hidden ? null : await api.get('runtime').then(({ body }) => body.runtime, () => null);
    if (runtime) {
      const { server: { connections }, config: _, ...others } = runtime;
      const shown = numbers(others, '').filter(([name]) => !STILL.test(name)).slice(0, MOST);
      fill(room, el('dl.facts', [['connections', connections], ...shown].map(([name, value]) => [el('dt', name), el('dd', value)])));
    }
    if (!signal.aborted) setTimeout(look, PAUSE);
  }

  look();
  return el('div.sheet', el('h2', 'Figures'), room);
}

/** The numbers of an object, by their path. @param {any} value @param {string} path @returns {[string, number][]} */
function numbers(value, path) {
  if (typeof value === 'number') return [[path, value]];
  return Object.entries(typeof value === 'string' ? {} : Object(value)).flatMap(([name, below]) => numbers(below, `${path} ${name}`.trim()));
}

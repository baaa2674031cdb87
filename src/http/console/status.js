// The view of the server: its status in words, small plots of its figures, and the nodes of a cluster.

import { Problem, messageOf } from './api.js';
import { el, fill } from './dom.js';
import { Plots } from './plots.js';
import { hashOf } from './router.js';
import { conditionsOf } from './state.js';

/** @typedef {import('./state.js').State} State */

/** The time between two looks at the figures, in milliseconds. */
const PAUSE = 5000;

/** States of a node that are as they should be. */
const WELL = ['running', 'canary'];

/** @type {import('./router.js').Show} */
export function show(main, state) {
  const words = el('div', { class: 'sheet' });
  const nodes = el('div', { class: 'sheet', hidden: true });
  const figures = el('div', { class: 'sheet' }, el('h2', {}, 'Figures'));
  fill(main, el('h1', {}, 'Status'), el('div', { class: 'status-page' }, words, figures, nodes));
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
      if (!isLeft) fill(nodes, el('h2', {}, `Nodes (${body.length})`), nodeTable(body));
    } catch (error) {
      fill(nodes, el('h2', {}, 'Nodes'), el('p', { class: 'fault' }, messageOf(error)));
    }
  }

  function draw() {
    fill(words, el('h2', {}, 'Configuration'), ...statusWords(state));
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
    el('ul', { class: 'plain-list' }, ...conditions.map(([kind, text]) => el('li', {}, el('span', { class: `state ${kind}` }, kind === 'good' ? 'in order' : 'attention'), ' ', text))),
    facts([
      ['Streams', `${counts.streams}: ${counts.static} static, ${counts.ondemand} on demand`],
      ['Faults', counts.errors || counts.warnings ? `${counts.errors} errors, ${counts.warnings} warnings` : 'none'],
      ['Last change', change && withHistory([when(change.at), change.by && `by ${change.by}`, change.operation, change.message && `“${change.message}”`])],
      ['Last reload', reload && sentence([when(reload.at), reload.ok ? 'succeeded' : 'failed', reload.ms !== null && `after ${reload.ms} ms`])],
      ['Reload command', reload?.output && el('pre', { class: 'output', tabindex: 0 }, reload.output)],
      ['Runs', el('code', {}, revisions.running.slice(0, 12))],
      ['File', el('code', {}, revisions.file.slice(0, 12))],
      ['Version', `mediactl ${versions.mediactl}, API ${versions.api}`],
    ]),
  ];
}

/** @param {[string, import('./dom.js').Child][]} rows */
function facts(rows) {
  return el('dl', { class: 'facts' }, ...rows.filter(([, value]) => value).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

/** @param {any[]} records */
function nodeTable(records) {
  const row = (/** @type {any} */ node) => el('tr', {},
    el('th', { scope: 'row' }, node.node), el('td', {}, el('span', { class: `state ${WELL.includes(node.state) ? 'good' : 'bad'}` }, node.state)),
    el('td', {}, node.serial === node.wanted ? `change ${node.serial}` : `change ${node.serial}, wanted ${node.wanted}`), el('td', {}, node.why ?? ''));
  const isWell = (/** @type {any} */ node) => WELL.includes(node.state) && node.serial === node.wanted;
  const sorted = records.toSorted((a, b) => Number(isWell(a)) - Number(isWell(b)));
  return el('div', { class: 'table', tabindex: 0, role: 'region', 'aria-label': 'Nodes' }, el('table', {},
    el('thead', {}, el('tr', {}, ...['Node', 'State', 'Runs', 'Why'].map((word) => el('th', { scope: 'col' }, word)))),
    el('tbody', {}, ...sorted.map(row))));
}

/** @param {unknown[]} parts */
function sentence(parts) {
  return parts.filter(Boolean).join(', ');
}

/** @param {unknown[]} parts */
function withHistory(parts) {
  return el('span', {}, sentence(parts), ' · ', el('a', { href: hashOf('history') }, 'History'));
}

/** A time as this place writes it. @param {string} at */
function when(at) {
  return new Date(at).toLocaleString();
}

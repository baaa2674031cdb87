// The changes: who, when, why, and where. The diff of one, of any two texts, and the way back: `#/history`, `#/history/7`.

import { el, fill } from './dom.js';
import { Problem, tagOf } from './api.js';
import { ApplyForm } from './apply_form.js';
import { appliedFacts } from './load.js';
import { diffView } from './diff.js';
import { firstOf, shownTime } from './figures.js';
import { noteWords, problemView } from './problem_view.js';
import { go } from './router.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {{ serial: number, at: string, operation: string, by: string | null, message: string | null,
 *   before: string | null, aside: boolean, paths?: { first: string[], count: number } }} Change
 */

/** The changes that are shown at first, and with each *older*. */
const SOME = 100;

/** @type {import('./router.js').Show} */
export function show(main, state, { rest: [serial = ''], query }) {
  const view = new HistoryView(main, state);
  void view.load(Number(serial), query.get('from') ?? '', query.get('to') ?? '');
  return () => view.leave();
}

class HistoryView {
  /** @type {Change[]} */
  #changes = [];
  #count = SOME;
  #serial = 0;
  #left = false;
  /** The ID of the way back that was made here and waits to be kept. @type {string | null} */
  #pending = null;
  /** The ETag of the configuration whose difference to an earlier one is shown. */
  #tag = '';
  /** Of what the difference of two texts was drawn; empty while none is shown. */
  #compared = '';

  /**
   * @param {HTMLElement} main
   * @param {State} state
   */
  constructor(main, state) {
    this.state = state;
    this.chosen = this.shown = { from: '', to: '' };
    this.list = el('ol.history-list', { 'aria-label': 'Changes' });
    this.compare = el('form.compare', { onsubmit: (event) => this.#compare(event) });
    this.detail = el('section.history-detail', { 'aria-label': 'Difference' });
    fill(main, el('div.page-head', el('h1', 'History'), this.compare),
      el('div.history-page', this.list, this.detail));
    this.end = state.subscribe((_, changed) => {
      if (changed.has('status')) void this.#refresh();
      if (this.#pending && state.applied !== this.#pending) void this.#ended();
    });
  }

  leave() {
    this.#left = true;
    this.end();
  }

  /**
   * @param {number} serial of the change that is shown; 0 for none
   * @param {string} from
   * @param {string} to
   */
  async load(serial, from, to) {
    this.#serial = serial;
    [this.chosen, this.shown] = [{ from, to }, { from, to }];
    await this.#read();
    if (this.#left) return;
    if (from && to) await this.#showCompared();
    else if (serial) await this.#showChange(serial);
    else if (this.#changes.length > 0) fill(this.detail, el('p.quiet', 'Choose a change to see what it changed.'));
  }

  async #refresh() {
    const known = this.#changes[0]?.serial;
    await this.#read();
    if (this.#changes[0]?.serial !== known) this.state.announce('The history has a new change.');
    if (!this.#left && this.#compared && this.#compared !== this.#now) await this.#showCompared();
  }

  /** The texts that a comparison may be of, and which change over time. */
  get #now() {
    return JSON.stringify(this.state.status?.revisions);
  }

  /** Shows the difference of two texts as they are now. */
  #showCompared() {
    const { from, to } = this.shown;
    this.#compared = this.#now;
    return this.#showDiff(`${nameOf(from)} and ${nameOf(to)}`, 'diff', { from, to });
  }

  async #read() {
    try {
      const { body } = await this.state.api.get('history');
      if (this.#left) return;
      if (JSON.stringify(this.#changes) === JSON.stringify(body) && this.list.childElementCount > 0) return;
      this.#changes = body;
      this.#draw();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (this.#changes.length === 0) fill(this.list, el('li', problemView(error)));
    }
  }

  #draw() {
    const shown = this.#changes.slice(0, this.#count);
    const older = () => { this.#count += SOME; this.#draw(); };
    fill(this.list, ...shown.map((change) => this.#item(change)),
      shown.length < this.#changes.length && el('li', el('button', { onclick: older }, 'Show older changes')));
    if (this.#changes.length === 0) fill(this.list, el('li.quiet', 'Nothing has been changed yet.'));
    const texts = [['running', 'what runs now'], ['saved', 'the file'],
      ...shown.map(({ serial }) => [String(serial), `before #${serial}`])];
    const select = (/** @type {'from' | 'to'} */ name, /** @type {string} */ label, /** @type {string} */ usual) => {
      const chosen = texts.some(([value]) => value === this.chosen[name]) ? this.chosen[name] : usual;
      const box = el('select', { name, 'aria-label': label, onchange: () => { this.chosen[name] = box.value; } },
        ...texts.map(([value = '', words = '']) => el('option', { value, selected: value === chosen }, words)));
      return box;
    };
    fill(this.compare, el('span', 'Compare'), select('from', 'From', String(shown[0]?.serial ?? 'saved')),
      el('span', 'with'), select('to', 'To', 'running'), el('button', 'Compare'));
  }

  /** @param {Change} change */
  #item({ serial, at, by, operation, message, paths, aside }) {
    const first = paths && firstOf(paths.first, paths.count);
    return el('li.change', { 'aria-current': serial === this.#serial ? 'true' : null },
      el('a', { href: `#/history/${serial}` }, el('span.serial', `#${serial}`),
        el('time', { datetime: at }, shownTime(at)), el('span.state', aside ? 'kept aside' : operation)),
      el('span.by', by ?? 'the server'),
      message && el('span.message', message),
      first && el('span.paths.quiet', first));
  }

  /** @param {Event} event */
  #compare(event) {
    event.preventDefault();
    const given = new FormData(this.compare);
    go(`#/history?from=${given.get('from')}&to=${given.get('to')}`);
  }

  /** @param {number} serial */
  async #showChange(serial) {
    const change = this.#changes.find((known) => known.serial === serial);
    const revision = change?.before;
    await this.#showDiff(`change #${serial}`, `history/serial:${serial}`, { format: 'diff' },
      revision ? el('a', { href: `#/text@${revision}` }, 'The whole text before it') : '',
      this.state.mayEdit && el('button', { onclick: () => void this.#offerWayBack(serial) },
        `Go back to before #${serial}`));
  }

  /**
   * @param {string} title
   * @param {string} path
   * @param {import('./api.js').Query} query
   * @param {...import('./dom.js').Child} more
   */
  async #showDiff(title, path, query, ...more) {
    fill(this.detail, el('p.quiet', 'Computing the difference …'));
    const head = el('div.detail-head', el('h2', `Difference: ${title}`), ...more);
    try {
      const { body } = await this.state.api.get(path, { ...query, secrets: 'masked' });
      if (this.#left) return;
      fill(this.detail, head, body ? diffView(body) : el('p', 'There is no difference.'));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      fill(this.detail, head, problemView(error));
    }
  }

  /** The way back that was made here is kept, or was taken back. */
  async #ended() {
    this.#pending = null;
    await this.#read();
    if (!this.#left && this.#serial) await this.#showChange(this.#serial);
  }

  /**
   * Shows what going back would change, and asks.
   * @param {number} serial
   * @param {ApplyForm} [known] the form of an earlier difference, which does not hold any more
   */
  async #offerWayBack(serial, known) {
    const { api } = this.state;
    const to = { to: `serial:${serial}`, format: 'diff', secrets: 'masked' };
    fill(this.detail, el('p.quiet', 'Computing the difference …'));
    try {
      const { body: { revisions, state, versions } } = await api.get('status');
      const isHandEdit = state.includes('edited-by-hand');
      const tag = tagOf(isHandEdit ? revisions.file : revisions.running, versions);
      const { body, notes } = await api.post('rollback_config', { ...to, dry_run: true });
      if (this.#left) return;
      if (!body) return fill(this.detail, el('p', 'The configuration already has this text.'));
      const form = known ?? new ApplyForm('Go back', () => {}, () => void this.#goBack(form, serial, to));
      this.#tag = tag;
      if (!known) form.buttons.append(el('button', { onclick: () => void this.#showChange(serial) }, 'Cancel'));
      const news = 'Somebody has changed the configuration in the meantime. Look at the new difference.';
      fill(this.detail, el('h2', `Go back to before #${serial}`), known && el('p.warning', { role: 'alert' }, news), ...notes.map((note) => el('p.warning', noteWords(note))),
        isHandEdit && el('p', 'The difference is from the file with the edit by hand, which would be lost. To keep that edit, cancel, and change in ',
          el('a', { href: '#/text' }, 'Text'), ' only what you want back.'), diffView(body), form.element);
      form.why.focus();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      fill(this.detail, problemView(error));
    }
  }

  /**
   * @param {ApplyForm} form
   * @param {number} serial
   * @param {import('./api.js').Query} to
   */
  async #goBack(form, serial, to) {
    const { why, confirm } = form.wanted;
    form.button.disabled = true;
    try {
      const answer = await this.state.api.post('rollback_config', { ...to, message: why || null, confirm: confirm || null }, null, { ifMatch: this.#tag });
      this.state.set(appliedFacts(answer.pending, confirm));
      this.#pending = answer.pending;
      this.state.announce(answer.pending ? `Done. Going back is undone in ${confirm} seconds unless you keep it.` : 'Done.');
      fill(this.detail, el('p', `The earlier text is the configuration again${answer.pending ? ', until it is kept or taken back' : ''}.`));
      await this.#read();
    } catch (error) {
      form.button.disabled = false;
      if (!(error instanceof Problem)) throw error;
      if (error.name === 'stale' || error.name === 'conflict') return void await this.#offerWayBack(serial, form);
      this.detail.querySelector('.problem')?.remove();
      form.element.before(problemView(error));
    }
  }
}

/** @param {string} text */
function nameOf(text) {
  if (text === 'running') return 'what runs now';
  return text === 'saved' ? 'the file' : `before #${text}`;
}

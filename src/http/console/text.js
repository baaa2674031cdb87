// The whole text: `#/text`, and of an earlier configuration `#/text@REVISION/L220`. Only lines that can be seen are
// drawn; the entry at the cursor is beside it, where it can be edited.

import { el, fill } from './dom.js';
import { Problem, revisionOf } from './api.js';
import { EntryPage } from './entry_page.js';
import { lineView } from './entry_editor.js';
import { problemView } from './problem_view.js';
import { hashOf, note } from './router.js';
import { TextTools } from './text_tools.js';
import { VirtualRows } from './virtual_rows.js';
import { GROUPS, vocabularyOf } from './vocabulary.js';
import { entries, startOf } from './words.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {{ body: string, revision: string, before: number | undefined }} Read a text, and the change that it was before
 */

/** The height of a line, as `console.css` has it. */
const HEIGHT = 20;

/** The time that the cursor rests on a line before its entry is read, in milliseconds. */
const REST = 120;

/** @type {import('./router.js').Show} */
export function show(main, state, { revision, rest: [line = ''] }) {
  const view = new TextView(main, state);
  void view.load(revision, Number(/^L(\d+)$/.exec(line)?.[1] ?? 0));
  return () => view.leave();
}

class TextView {
  /** @type {string[]} */
  lines = [];
  #cursor = -1;
  #revision = '';
  #body = '';
  #timer = 0;
  #left = false;
  /** @type {EntryPage | undefined} */
  #entry;
  #path = '';
  /** @type {import('./words.js').Entry[] | undefined} */
  #entries;

  /**
   * @param {HTMLElement} main
   * @param {State} state
   */
  constructor(main, state) {
    this.state = state;
    this.notice = el('div');
    this.box = el('div.text-lines', { tabindex: 0, role: 'region', 'aria-label': 'Text of the configuration' });
    this.side = el('aside.text-side', { 'aria-label': 'Entry at the cursor' },
      el('p.quiet', 'Choose a line to see its entry.'));
    this.rows = new VirtualRows(this.box, HEIGHT, (index) => this.#row(index));
    this.tools = new TextTools(this, state);
    this.box.addEventListener('click', (event) => this.#clicked(event));
    this.box.addEventListener('keydown', (event) => this.#key(event));
    fill(main, el('div.page-head', el('h1', 'Text'), this.tools.element), this.notice,
      el('div.text-page', this.box, this.side));
    this.end = state.subscribe((_, changed) => { if (changed.has('config')) void this.#changed(); });
  }

  /**
   * @param {string | null} revision
   * @param {number} line from 1; 0 for none
   */
  async load(revision, line) {
    try {
      const read = await readText(this.state, revision);
      if (this.#left) return;
      this.#show(read);
      if (line > 0) this.goTo(line - 1, { middle: true });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      fill(this.notice, problemView(error));
    }
  }

  leave() {
    this.#left = true;
    clearTimeout(this.#timer);
    this.#entry?.leave();
    this.rows.leave();
    this.end();
  }

  /**
   * Puts the cursor on a line, from 0.
   * @param {number} index
   * @param {{ middle?: boolean }} [how]
   */
  goTo(index, how = {}) {
    const [old, now] = [this.#cursor, Math.max(0, Math.min(index, this.lines.length - 1))];
    this.#cursor = now;
    this.rows.refresh(old);
    this.rows.scrollTo(now, how);
    this.rows.refresh(now);
    note(this.#hash(now));
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#showEntry(), REST);
  }

  get cursor() {
    return Math.max(0, this.#cursor);
  }

  /** @param {Read} read */
  #show({ body, revision, before }) {
    this.#body = body;
    this.lines = body.split('\n');
    this.#entries = undefined;
    this.#revision = revision;
    this.isOld = before !== undefined;
    fill(this.notice, before !== undefined && el('p.warning', `This is the text before change #${before}. `,
      el('a', { href: '#/text' }, 'Show what runs now')));
    this.rows.reset(this.lines.length);
    this.tools.reset();
  }

  async #changed() {
    const read = await readText(this.state, this.isOld ? this.#revision : null).catch(() => undefined);
    if (!read || this.#left || read.body === this.#body) return;
    const top = this.box.scrollTop;
    this.#show(read);
    this.box.scrollTop = top;
  }

  /** @param {number} index */
  #hash(index) {
    return hashOf('text', { revision: this.#revision, rest: [`L${index + 1}`] });
  }

  /** @param {number} index */
  #row(index) {
    const text = this.lines[index] ?? '';
    const name = ['text-row', index === this.#cursor && 'at', this.tools.isFound(index) && 'found'].filter(Boolean).join(' ');
    return el('div', { class: name, 'data-line': index },
      el('a.number', { href: this.#hash(index), tabindex: -1, 'aria-label': `Line ${index + 1}` }, index + 1),
      el('code', lineView(text, this.tools.marks(text))));
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const row = event.target instanceof Element ? event.target.closest('[data-line]') : null;
    if (!row) return;
    event.preventDefault();
    this.goTo(Number(row.getAttribute('data-line')));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = this.rows.step(event.key);
    if (step !== undefined) this.goTo(this.#cursor + step);
    else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) this.#entry?.editor?.goTo(this.#cursor + 1);
    else return;
    event.preventDefault();
  }

  /** Shows the entry at the cursor beside the text; that of an earlier text can't be edited. */
  async #showEntry() {
    this.#entries ??= entries(this.lines.join('\n'));
    const offset = startOf(this.lines, this.#cursor);
    const end = offset + (this.lines[this.#cursor]?.length ?? 0);
    const found = this.#entries.find((entry) => entry.start <= end && offset < entry.end);
    const segments = found && await this.#segments(found);
    const path = segments?.join('\n') ?? '';
    if (this.#left || (path === this.#path && path !== '')) return;
    this.#path = path;
    this.#entry?.leave();
    this.#entry = undefined;
    if (!found || !segments) return fill(this.side, el('p.quiet', 'There is no entry in this line.'));
    const box = el('div', el('p.quiet', 'Loading …'));
    const [group, name = ''] = segments;
    fill(this.side, el('h2', group === 'streams' ? el('a', { href: hashOf('streams', { rest: [name] }) }, name) : segments.join(' ')),
      this.isOld && el('p.quiet', 'Below is the entry as it runs now.'), box);
    this.#entry = new EntryPage(box, this.state, segments);
    await this.#entry.load();
  }

  /**
   * The path of an entry.
   * @param {import('./words.js').Entry} entry
   * @returns {Promise<string[]>}
   */
  async #segments({ keyword, words: [name], isBlock }) {
    const group = GROUPS[keyword];
    if (group && name !== undefined) return [group, name];
    if (isBlock && name !== undefined) return [keyword, name];
    const vocabulary = await vocabularyOf(this.state).catch(() => undefined);
    return [vocabulary?.find([], keyword)?.name ?? keyword];
  }
}

/**
 * @param {State} state
 * @param {string | null} revision
 * @returns {Promise<Read>}
 */
async function readText({ api }, revision) {
  const { body, etag } = await api.getKept('read_config', { format: 'conf', secrets: 'masked' });
  const running = revisionOf(etag);
  if (revision === null || revision === running) return { body, revision: running, before: undefined };
  const { body: changes } = await api.get('history');
  const change = changes.find((/** @type {{ before: string }} */ { before }) => before === revision);
  if (!change) throw new Problem(404, 'not-kept', 'The text of this link is not kept any more');
  const kept = await api.get(`history/serial:${change.serial}`, { secrets: 'masked' });
  return { body: kept.body, revision, before: change.serial };
}

// The edits that are not sent: what they are, their diff, why they are made, and whether they go back by themselves.

import { el, fill } from './dom.js';
import { asProblem } from './api.js';
import { ApplyForm } from './apply_form.js';
import { apply, review } from './review.js';
import { appliedFacts } from './load.js';
import { clashView } from './clash_view.js';
import { commandOf } from './command.js';
import { diffView } from './diff.js';
import { counted, notSent } from './figures.js';
import { notesView, problemView } from './problem_view.js';
import { placeOf } from './router.js';
import { segmentsOf } from './path.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('./drafts.js').Draft} Draft
 * @typedef {import('./review.js').Review} Review
 */

/** Of edits that follow each other within this time, in milliseconds, the diff is asked for after the last one. */
const PAUSE = 120;

/**
 * Keeps the tray in its box.
 * @param {HTMLElement} box
 * @param {State} state
 */
export function attach(box, state) {
  new Tray(box, state);
}

class Tray {
  #isOpen = false;
  #sending = false;
  /** @type {Review | undefined} */
  #reviewed;
  /** @type {import('./api.js').Problem | undefined} */
  #problem;
  /** Why the last change was not made; it is shown until the edits are others. @type {{ problem: import('./api.js').Problem, list: readonly Draft[] } | undefined} */
  #failed;
  /** @type {Set<string>} */
  #accepted = new Set();
  #request = new AbortController();
  #timer = 0;
  /** The time of the last edit. */
  #last = 0;
  #shown = '';
  /** What the head was drawn for: a click on it must not hit another button than the one that was pressed. */
  #head = '';

  /**
   * @param {HTMLElement} box
   * @param {State} state
   */
  constructor(box, state) {
    this.box = box;
    this.state = state;
    this.command = el('code');
    const copy = () => void navigator.clipboard?.writeText(this.command.textContent ?? '')
      .then(() => state.announce('The command is copied.'));
    this.form = new ApplyForm('Apply', () => this.#showCommand(), () => void this.#apply(),
      el('details', el('summary', 'The same in a shell'), el('pre', { tabindex: 0 }, this.command),
        el('button.small', { onclick: copy }, 'Copy')));
    this.form.buttons.append(el('button', { onclick: () => this.#discardAll() }, 'Discard all'));
    this.result = el('div.result');
    this.edits = el('ul.edits');
    state.drafts.subscribe(() => {
      // What was accepted was about the edits of before.
      this.#accepted.clear();
      this.#edited();
    });
    state.subscribe(['role', 'config', 'isConnected'], () => this.#edited());
    document.addEventListener('keydown', (event) => this.#key(event));
    this.#draw();
  }

  /** Opens the tray, and asks for the diff. */
  open() {
    this.#isOpen = true;
    this.#reviewed = undefined;
    this.#draw();
    void this.#ask();
    this.form.why.focus();
  }

  close() {
    this.#isOpen = false;
    this.#request.abort();
    this.#draw();
  }

  #edited() {
    const { drafts, mayEdit } = this.state;
    if (drafts.list.length === 0 || !mayEdit) this.#isOpen = false;
    this.#draw();
    clearTimeout(this.#timer);
    if (!this.#isOpen) return;
    this.#showResult();
    // While a change is sent, the configuration has it, and may yet go back.
    const now = performance.now();
    if (!this.#sending) this.#timer = window.setTimeout(() => this.#ask(), now - this.#last > PAUSE ? 0 : PAUSE);
    this.#last = now;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.box.hidden || event.defaultPrevented) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (event.repeat) return;
      if (this.#isOpen) this.form.element.requestSubmit();
      else this.open();
    } else if (event.key === 'Escape' && this.#isOpen && this.box.contains(document.activeElement)) {
      event.preventDefault();
      this.close();
      this.box.querySelector('button')?.focus();
    }
  }

  async #ask() {
    if (this.#sending) return;
    this.#request.abort();
    const request = new AbortController();
    this.#request = request;
    try {
      this.#reviewed = await review(this.state.api, this.state.drafts, [...this.#accepted], request.signal);
      this.#problem = undefined;
    } catch (error) {
      this.#reviewed = undefined;
      this.#problem = asProblem(error);
    }
    // Edits that were brought to another configuration ask again by themselves.
    if (!request.signal.aborted) this.#showResult();
  }

  #canApply() {
    const { diff, list } = this.#reviewed ?? {};
    return !this.#sending && Boolean(diff) && list === this.state.drafts.list;
  }

  async #apply() {
    const { api, drafts } = this.state;
    const target = this.#reviewed?.target;
    if (!target || !this.#canApply()) return;
    const { why, confirm } = this.form.wanted;
    const sent = drafts.list;
    this.#request.abort();
    clearTimeout(this.#timer);
    [this.#sending, this.#failed] = [true, undefined];
    this.#showResult();
    try {
      const answer = await apply(api, sent, target, { why, confirm, accepted: [...this.#accepted] });
      this.form.clear();
      this.#sending = false;
      this.state.set(appliedFacts(answer.pending, confirm));
      drafts.made(sent, answer.revision);
      this.state.announce(answer.pending ? `Applied. It goes back in ${confirm} seconds unless you keep it.` : 'Applied.');
    } catch (error) {
      this.#sending = false;
      const problem = asProblem(error);
      const isOld = problem.name === 'stale' || problem.name === 'conflict';
      this.#reviewed = undefined;
      if (!isOld) this.#failed = { problem, list: drafts.list };
      await this.#ask();
      this.state.announce(isOld ? 'Somebody has changed the configuration in the meantime. Look at the new difference.' : problem.message);
    }
  }

  #draw() {
    const { drafts, mayEdit } = this.state;
    const count = drafts.list.length;
    this.box.hidden = count === 0 || !mayEdit;
    this.box.classList.toggle('open', this.#isOpen);
    if (this.box.hidden) {
      this.#head = '';
      return fill(this.box);
    }
    if (this.#isOpen) fill(this.edits, ...drafts.list.map((draft) => this.#edit(draft)));
    const words = notSent(count);
    const key = JSON.stringify([words, this.#isOpen, drafts.isKept]);
    if (key === this.#head) return;
    this.#head = key;
    const toggle = el('button', { class: this.#isOpen ? '' : 'primary', 'aria-expanded': String(this.#isOpen),
      onclick: () => (this.#isOpen ? this.close() : this.open()) }, this.#isOpen ? 'Close' : 'Review');
    const head = el('div.tray-head', el('h2', words), toggle,
      !drafts.isKept && el('p.warning', 'The browser can’t store these edits, so a reload loses them. Apply them before you leave this page.'));
    if (!this.#isOpen) return fill(this.box, head);
    if (this.box.contains(this.result)) return this.box.firstElementChild?.replaceWith(head);
    fill(this.box, head, el('div.tray-body', this.edits, this.result, this.form.element));
    this.#showResult();
  }

  #discardAll() {
    const { drafts } = this.state;
    if (window.confirm(`Discard ${drafts.list.length === 1 ? 'the edit' : `all ${drafts.list.length} edits`}?`)) drafts.clear();
  }

  /** @param {Draft} draft */
  #edit(draft) {
    const path = draft.kind === 'text' ? draft.path : draft.id;
    const [group, name] = segmentsOf(path) ?? [];
    const what = draft.kind === 'text' ? 'text' : counted(draft.assignments.length, 'value');
    const label = draft.kind === 'text' ? draft.path : draft.label;
    const link = group === 'streams' && name !== undefined
      ? el('a', { href: placeOf(String(name)) }, label) : el('span', label);
    return el('li', link, el('span.quiet', what),
      el('button.small', { 'aria-label': `Discard the edit of ${label}`, onclick: () => this.state.drafts.discard(draft.id) }, 'Discard'));
  }

  #showResult() {
    this.form.button.disabled = !this.#canApply();
    // What is the same stays, with the choices that were made in it.
    if (this.#failed?.list !== this.state.drafts.list) this.#failed = undefined;
    const key = JSON.stringify([this.#sending, this.#failed?.problem.message, this.#problem?.message, { ...this.#reviewed, list: [] }]);
    if (key !== this.#shown) fill(this.result, ...this.#resultParts());
    this.#shown = key;
    this.#showCommand();
  }

  #resultParts() {
    if (this.#sending) return [el('p', 'The change is being made …')];
    return [this.#failed && problemView(this.#failed.problem), ...this.#comparison()];
  }

  #comparison() {
    if (this.#problem) return [problemView(this.#problem, (guard) => { this.#accepted.add(guard); void this.#ask(); })];
    const found = this.#reviewed;
    if (!found) return [el('p', 'Computing the difference …')];
    if (found.clashes.length > 0) return [clashView(found.clashes, () => void this.#ask())];
    if (found.diff === '') return [el('p', 'These edits change nothing: the configuration already is as they make it.')];
    return [notesView(found.notes), diffView(found.diff)];
  }

  #showCommand() {
    const { diff = '', sent } = this.#reviewed ?? {};
    this.command.textContent = commandOf(
      { ...this.form.wanted, url: location.origin, prefix: this.state.api.base, accepted: [...this.#accepted], diff, sent });
  }
}

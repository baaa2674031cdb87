// The edits that are not sent: what they are, their diff, why they are made, and whether they go back by themselves.

import { el, fill, later, refill } from './dom.js';
import { Problem, asProblem } from './api.js';
import { ApplyForm } from './apply_form.js';
import { requestOf } from './drafts.js';
import { review, send } from './review.js';
import { tellApplied } from './load.js';
import { clashView } from './clash_view.js';
import { diffView } from './diff.js';
import { counted, notSent } from './figures.js';
import { notesView, problemView } from './problem_view.js';
import { placeOf } from './router.js';
import { segmentsOf } from './path.js';

/** Of edits that follow each other within this time, in milliseconds, the diff is asked for after the last one. */
const PAUSE = 120;

/**
 * Keeps the tray in its box.
 * @param {HTMLElement} box
 * @param {import('./state.js').State} state
 */
export function attach(box, state) {
  const { api, drafts } = state;
  let isOpen = false;
  let isSending = false;
  /** What the edits were brought to, or why not. @type {import('./review.js').Review | Problem | undefined} */
  let found;
  /** Why the last change was not made; it is shown until the edits are others. @type {{ problem: Problem, list: unknown } | undefined} */
  let failed;
  /** Names of guards. @type {string[]} */
  let accepted = [];
  /** The edits for which they are accepted. */
  let acceptedFor = '';
  let request = new AbortController();
  /** The time of the last edit. */
  let last = 0;

  const askLater = later(PAUSE, ask);
  const command = el('code');
  const copied = el('output');
  const form = new ApplyForm('Apply', askLater, applyEdits,
    el('details', el('summary', 'The same in a shell'), el('pre.output', { tabindex: 0 }, command), el('button.small', { onclick: copy }, 'Copy'), copied));
  form.buttons.append(el('button', { onclick: discardAll }, 'Discard all'));
  const head = el('div.tray-head');
  const edits = el('ul.edits');
  const result = el('div.result');
  const body = el('div.tray-body', edits, result, form.element);
  fill(box, head, body);

  drafts.subscribe(edited);
  state.subscribe(['role', 'config', 'isConnected'], edited);
  document.addEventListener('keydown', key);
  draw();

  function edited() {
    draw();
    if (!isOpen) return;
    if (performance.now() - last > PAUSE) ask();
    else askLater();
    last = performance.now();
  }

  function draw() {
    const { list, isKept } = drafts;
    box.hidden = list.length === 0 || !state.mayEdit;
    if (box.hidden) [isOpen, found] = [false, undefined];
    body.hidden = !isOpen;
    // A click must not hit another button than the one that was pressed, and the choices that were made stay.
    refill(head, [list.length, isOpen, isKept], headParts);
    fill(edits, isOpen && list.map(edit));
    if (failed?.list !== list) failed = undefined;
    refill(result, [isSending, failed?.problem.message, String(found), { ...found, list: 0, command: 0 }], resultParts);
    form.button.disabled = !reviewed();
    const shown = reviewed()?.command ?? '# The command comes with the difference.';
    // To the letter, as it is to be copied; what is selected in it stays.
    if (command.textContent !== shown) command.textContent = shown;
    fill(copied);
  }

  function headParts() {
    return [el('h2', notSent(drafts.list.length)),
      el('button', { class: isOpen ? '' : 'primary', 'aria-expanded': String(isOpen), onclick: isOpen ? close : open }, isOpen ? 'Close' : 'Review'),
      !drafts.isKept && el('p.warning', 'A reload loses these edits: the browser can’t store them.')];
  }

  /** @param {import('./drafts.js').Draft} draft */
  function edit(draft) {
    const [label, what] = draft.kind === 'text' ? [draft.path, 'text'] : [draft.label, counted(draft.assignments.length, 'value')];
    const [group, name] = segmentsOf(label);
    return el('li', group === 'streams' ? el('a', { href: placeOf(String(name)) }, label) : el('span', label), el('span.quiet', what),
      el('button.small', { 'aria-label': `Discard the edit of ${label}`, onclick: () => drafts.discard(draft.id) }, 'Discard'));
  }

  function resultParts() {
    if (isSending) return el('p', 'The change is being made …');
    return [failed && problemView(failed.problem), comparison()];
  }

  function comparison() {
    if (!found) return el('p', 'Computing the difference …');
    if (found instanceof Problem) return problemView(found, (guard) => { accepted.push(guard); ask(); });
    if (found.clashes.length > 0) return clashView(found.clashes, ask);
    if (!found.diff) return el('p', 'These edits change nothing.');
    return [notesView(found.notes), diffView(found.diff)];
  }

  /** The review of the edits as they are, if it has a difference that can be made. */
  function reviewed() {
    return !isSending && found && !(found instanceof Problem) && found.diff && found.list === drafts.list ? found : undefined;
  }

  /** How the change is to be made. What was accepted for other edits is forgotten. */
  function wanted() {
    const now = JSON.stringify(requestOf(drafts.list));
    if (now !== acceptedFor) [accepted, acceptedFor] = [[], now];
    return { ...form.wanted, accepted };
  }

  /** Opens the tray, and asks for the diff. */
  function open() {
    [isOpen, found] = [true, undefined];
    draw();
    ask();
    form.why.focus();
  }

  function close() {
    isOpen = false;
    request.abort();
    draw();
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (box.hidden || event.defaultPrevented) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (event.repeat) return;
      if (isOpen) form.element.requestSubmit();
      else open();
    } else if (event.key === 'Escape' && isOpen && box.contains(document.activeElement)) {
      event.preventDefault();
      close();
      box.querySelector('button')?.focus();
    }
  }

  async function ask() {
    // While a change is sent, the configuration has it, and may yet go back.
    if (isSending) return;
    request.abort();
    const { signal } = request = new AbortController();
    const made = await review(api, drafts, wanted(), signal).catch(asProblem);
    // Edits that were brought to another configuration ask again by themselves.
    if (signal.aborted) return;
    found = made;
    draw();
  }

  async function applyEdits() {
    const { target, list, login } = reviewed() ?? {};
    if (!target || !list) return;
    const how = wanted();
    request.abort();
    [isSending, failed] = [true, undefined];
    draw();
    try {
      const { pending, revision } = await send(api, list, target, how);
      isSending = false;
      form.clear();
      tellApplied(state, pending, how.confirm, login);
      drafts.made(list, revision);
    } catch (error) {
      const problem = asProblem(error);
      const isOld = ['stale', 'conflict'].includes(problem.name);
      [isSending, found] = [false, undefined];
      if (!isOld) failed = { problem, list: drafts.list };
      await ask();
      state.announce(isOld ? 'Somebody else has changed the configuration. Look at the new difference.' : problem.message);
    }
  }

  function discardAll() {
    const { length } = drafts.list;
    if (window.confirm(`Discard ${counted(length, 'edit')}?`)) drafts.clear();
  }

  /** The clipboard of the browser is only for pages of HTTPS; a browser may refuse to copy what is selected, too. */
  function copy() {
    getSelection()?.selectAllChildren(command);
    fill(copied, document.execCommand('copy') ? 'It is copied.' : 'It is selected. Copy it with a key.');
  }
}

// The edit that is not sent: its diff, why it is made, and whether it goes back by itself.

import { byId, el, fill, later, refill } from './dom.js';
import { Problem, asProblem } from './api.js';
import { ApplyForm } from './apply_form.js';
import { mayLeave, requestOf } from './draft.js';
import { clashView, review, send, settled } from './review.js';
import { tellApplied } from './load.js';
import { diffView } from './diff.js';
import { notesView, problemView } from './problem_view.js';

/** Of edits that follow each other within this time, in milliseconds, the diff is asked for after the last one. */
const PAUSE = 120;

/** Keeps the bar in its box. @param {HTMLElement} box @param {import('./state.js').State} state */
export function attach(box, state) {
  const { api } = state;
  let isOpen = false;
  /** What the edit was brought to, or why not. @type {import('./review.js').Review | Problem | undefined} */
  let found;
  /** Why the last change was not made; it is shown until the edit is another one. @type {{ problem: Problem, draft: unknown } | undefined} */
  let failed;
  /** Names of guards. @type {string[]} */
  let accepted = [];
  /** The edit for which they are accepted. */
  let acceptedFor = '';
  let request = new AbortController();
  /** The time of the last edit. */
  let last = 0;

  const askLater = later(PAUSE, ask);
  const command = el('code');
  const copied = el('output');
  const form = new ApplyForm('Apply', askLater, applyEdit,
    el('details', el('summary', 'The same in a shell'), el('pre.output', { tabindex: 0 }, command), el('button.small', { onclick: copy }, 'Copy'), copied));
  form.buttons.append(el('button', { onclick: () => mayLeave(state) }, 'Discard'));
  const head = el('div.change-head');
  const result = el('div.result');
  const body = el('div.change-body', result, form.element);
  fill(box, head, body);

  state.subscribe(['draft', 'config', 'isConnected'], edited);
  state.subscribe(['isSending'], draw);
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
    const { draft, isSending } = state;
    box.hidden = !draft;
    if (!draft) [isOpen, found] = [false, undefined];
    body.hidden = !isOpen;
    // What cannot be used while the change is being made.
    byId('main').inert = isSending;
    // A click must not hit another button than the one that was pressed.
    refill(head, [draft?.label, isOpen], () => [el('h2', `Not sent: ${draft?.label}`),
      el('button', { class: isOpen ? '' : 'primary', 'aria-expanded': String(isOpen), onclick: isOpen ? close : open }, isOpen ? 'Close' : 'Review')]);
    if (failed?.draft !== draft) failed = undefined;
    refill(result, [isSending, failed?.problem.message, String(found), { ...found, draft: 0, command: 0 }], resultParts);
    form.button.disabled = !reviewed();
    const shown = reviewed()?.command ?? '# The command comes with the difference.';
    // To the letter, as it is to be copied; what is selected in it stays.
    if (command.textContent !== shown) command.textContent = shown;
    fill(copied);
  }

  function resultParts() {
    if (state.isSending) return el('p', 'The change is being made …');
    return [failed && problemView(failed.problem), comparison(found)];
  }

  /** @param {import('./review.js').Review | Problem | undefined} made */
  function comparison(made) {
    if (!made) return el('p', 'Computing the difference …');
    if (made instanceof Problem) return problemView(made, (guard) => { accepted.push(guard); ask(); });
    const { clash } = made;
    if (clash) return clashView({ ...made, clash }, (side) => state.set({ draft: settled(made, side) }));
    if (!made.diff) return el('p', 'This edit changes nothing.');
    return [notesView(made.notes), diffView(made.diff)];
  }

  /** The review of the edit as it is, if it has a difference that can be made. */
  function reviewed() {
    return !state.isSending && found && !(found instanceof Problem) && found.diff && found.draft === state.draft ? found : undefined;
  }

  /** How the change is to be made. What was accepted for another edit is forgotten. @param {import('./draft.js').Draft} draft */
  function wanted(draft) {
    const now = JSON.stringify(requestOf(draft));
    if (now !== acceptedFor) [accepted, acceptedFor] = [[], now];
    return { ...form.wanted, accepted };
  }

  /** Opens the bar, and asks for the diff. */
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
    const { draft, isSending } = state;
    // While a change is sent, the configuration has it, and may yet go back.
    if (!draft || isSending) return;
    request.abort();
    const { signal } = request = new AbortController();
    const made = await review(api, draft, wanted(draft), signal).catch(asProblem);
    if (signal.aborted || draft !== state.draft) return;
    found = made;
    draw();
  }

  async function applyEdit() {
    const { target, draft, login } = reviewed() ?? {};
    if (!target || !draft) return;
    const how = wanted(draft);
    request.abort();
    failed = undefined;
    state.set({ isSending: true });
    try {
      const { pending } = await send(api, draft, how, { only_if: { 'one-of': [target] } });
      form.clear();
      tellApplied(state, pending, how.confirm, login);
      state.set({ isSending: false, draft: null });
    } catch (error) {
      const problem = asProblem(error);
      const isOld = ['stale', 'conflict'].includes(problem.name);
      found = undefined;
      if (!isOld) failed = { problem, draft };
      state.set({ isSending: false });
      await ask();
      state.announce(isOld ? 'Somebody else has changed the configuration. Look at the new difference.' : problem.message);
    }
  }

  /** The clipboard of the browser is only for pages of HTTPS; a browser may refuse to copy what is selected, too. */
  function copy() {
    getSelection()?.selectAllChildren(command);
    fill(copied, document.execCommand('copy') ? 'It is copied.' : 'It is selected. Copy it with a key.');
  }
}

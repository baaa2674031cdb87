// The edit that is not sent, which the page holds in its memory: its diff, why it is made, the command with the same effect.
// The server merges it with what others changed; where both changed the same, one chooses.

import { byId, counted, el, fill, later, pointerOf, refill, textOf } from './base.js';
import { commandOf } from './command.js';
import { Problem, accepting, asProblem, tellApplied } from './server.js';
import { ApplyForm, diffView, notesView, problemView } from './views.js';

/**
 * A value as `POST change` takes it.
 * @typedef {{ typed: string } | { text: string } | { replace: string } | 'remove'} NewValue
 * @typedef {{ path: string, value: NewValue }} Assignment
 */

/**
 * Another text of one entry, whose path is the `label`, or assignments: those of the fields of one entry, or one value of
 * many. `base` is the revision of the configuration that it was made of. Or any other operation of `POST change`, with the
 * words of the command line for it: `isOfFile` if it is made of the file and not of what runs, `then` is the place to go to,
 * `removes` the path of the block that it removes; one that is typed is quiet: it is shown when one asks for it.
 * @typedef {{ kind: 'text', label: string, base: string, text: string }} TextDraft
 * @typedef {{ kind: 'values', label: string, base: string, assignments: Assignment[], pattern?: Pattern }} ValuesDraft
 * @typedef {{ path: string, where: string[] | undefined }} Pattern the path for all of many, and the conditions that find them
 * @typedef {{ kind: 'operation', label: string, base: string | null, operation: object, command: string[], isOfFile?: boolean, force?: boolean, isQuiet?: boolean,
 *   then?: string, removes?: string }} OperationDraft
 * @typedef {TextDraft | ValuesDraft | OperationDraft} Draft
 */

/** @typedef {import('./server.js').State} State */

/**
 * Begins an edit, unless another one stays.
 * @param {State} state @param {string} label what it does, in words @param {Assignment[]} assignments @param {Pattern} [pattern]
 */
export function begin(state, label, assignments, pattern) {
  if (!state.mayLeave()) return false;
  state.set({ draft: draftOf(state, label, assignments, pattern) });
  state.announce(`The edit of ${label} is not sent.`);
  return true;
}

/** @param {State} state @param {string} label @param {Assignment[]} assignments @param {Pattern} [pattern] @returns {ValuesDraft} */
export const draftOf = (state, label, assignments, pattern) => ({ kind: 'values', label, base: state.revision ?? '', assignments, pattern });

/** Shows what an operation would change, and asks. @param {State} state @param {Omit<OperationDraft, 'kind' | 'base'> & { base?: string | null }} made */
export function propose(state, made) {
  if (state.mayLeave()) state.set({ draft: { kind: 'operation', base: state.revision, ...made } });
}

/** The value that an edit gives to a path. @param {Draft | null} draft @param {string} path */
export function valueAt(draft, path) {
  return draft?.kind === 'values' ? draft.assignments.find((assignment) => assignment.path === path)?.value : undefined;
}

/**
 * The edit of the fields of an entry with another value of one field, or without one; `null` if none is left.
 * @param {Draft | null} draft @param {{ entry: string, base: string, path: string }} field @param {NewValue | undefined} value
 * @returns {Draft | null}
 */
export function withValue(draft, { entry, base, path }, value) {
  const others = draft?.kind === 'values' ? draft.assignments.filter((assignment) => assignment.path !== path) : [];
  const assignments = value ? [...others, { path, value }] : others;
  return assignments.length ? { kind: 'values', label: entry, base: draft?.base ?? base, assignments } : null;
}

/** The body of `POST change` that makes an edit. @param {Draft} draft */
export function requestOf(draft) {
  if (draft.kind === 'operation') return draft.operation;
  if (draft.kind === 'text') return { entries: { texts: [{ path: draft.label, text: draft.text, create: true }] } };
  return { modify: { edits: { assignments: { assignments: draft.assignments, options: { create: true } } }, expectations: [] } };
}

/**
 * @typedef {import('./server.js').Api} Api
 * @typedef {'theirs' | 'mine'} Side
 */

/** @typedef {{ why: string, confirm: number, accepted: string[] }} Wanted `accepted` are names of guards */

/**
 * The outcome of a review: the clash, or the diff, the command for the shell, and the new name of the login, if it gets one.
 * `target` is the revision that the edit is brought to.
 * @typedef {{ draft: Draft, target: string, clash?: Problem, diff: string, command: string, login?: string, notes: string[] }} Review
 */

/**
 * Asks for the diff of an edit with what is there now: where the file was edited by hand, with the file, so that the edit by
 * hand stays.
 * @param {Api} api @param {Draft} draft @param {Wanted} wanted @param {AbortSignal} [signal] @returns {Promise<Review>}
 */
async function review(api, draft, wanted, signal) {
  const { body: { revisions, state } } = await api.get('status', {}, { signal });
  const isFile = state.includes('edited-by-hand') && (draft.kind === 'operation' && draft.isOfFile || !state.includes('broken'));
  const target = isFile ? revisions.file : revisions.running;
  try {
    const { body: { diff, values }, notes } = await send(api, draft, wanted, { dry_run: true, tell: { diff: true, values: true } }, signal);
    const named = values.find((/** @type {{ keys: string[] }} */ { keys }) => keys.join('.') === 'edit_auth.login');
    return { draft, target, diff: diff.join('\n'), command: commandOf(api.base, draft, wanted, diff, values), login: named?.after, notes };
  } catch (error) {
    const isClash = error instanceof Problem && draft.base !== null && !state.includes('broken') && (error.name === 'stale' || (error.name === 'conflict' && error.details.length > 0));
    if (!isClash) throw error;
    return { draft, target, clash: error, diff: '', command: '', notes: [] };
  }
}

/**
 * Makes the change of an edit, or only rehearses it.
 * @param {Api} api @param {Draft} draft @param {Wanted} wanted @param {object} how @param {AbortSignal} [signal]
 */
export function send(api, draft, { why, confirm, accepted }, how, signal) {
  const options = { message: why || null, confirm: confirm || null, ...accepting(accepted), base: draft.base || null };
  if (draft.kind === 'operation' && draft.force) Object.assign(options, { force: true });
  return api.post('change', { secrets: 'masked' }, { operation: requestOf(draft), options: { ...options, ...how } }, { signal });
}

/**
 * The edit after a choice; `null` if nothing is left of it. Of values, those that nobody else changed stay.
 * @param {Review} found @param {Side} side @returns {Draft | null}
 */
export function settled({ draft, target, clash }, side) {
  if (side === 'mine') return { ...draft, base: target };
  const theirs = clash?.details.flatMap(({ pointer }) => pointer ?? []) ?? [];
  if (draft.kind !== 'values' || theirs.length === 0) return null;
  const isWithin = (/** @type {string} */ pointer, /** @type {string} */ outer) => `${pointer}/`.startsWith(`${outer}/`);
  const isTheirs = (/** @type {string} */ pointer) => theirs.some((their) => isWithin(their, pointer) || isWithin(pointer, their));
  const { pattern: _, ...others } = draft;
  const assignments = draft.assignments.filter(({ path }) => !isTheirs(pointerOf(path)));
  return assignments.length ? { ...others, assignments, base: target } : null;
}

/** What both changed, each in its own way, and the choice. @param {Review & { clash: Problem }} found @param {(side: Side) => void} choose */
function clashView({ draft, clash: { details, message } }, choose) {
  const button = (/** @type {Side} */ side, /** @type {string} */ word) => el('button', { value: side, onclick: () => choose(side) }, word);
  return el('section.clashes', { 'aria-label': 'Changed by somebody else, too' },
    el('p.warning', details.some(({ pointer }) => pointer) ? 'Somebody else has changed the same since you began.' : `${message}.`),
    details.map(({ pointer, line, base, theirs, mine }) => pointer ? el('dl.clash', el('dt', pointer),
      Object.entries({ Before: base, Theirs: theirs, Yours: mine }).map(([word, value]) => el('dd', word, ' ', valueView(value))))
      : line && el('p', `Line ${line}`)),
    el('p.quiet', draft.kind === 'values' ? 'What only you changed stays with both.' : '“Use mine” puts your text in the place of the whole entry.',
      ' You see the difference first.'),
    el('div.buttons', button('theirs', 'Use theirs'), button('mine', 'Use mine')));
}

/** @param {unknown} value */
function valueView(value) {
  const shown = textOf(value ?? '');
  return shown ? el('code', shown) : el('em', 'nothing');
}

/** Of edits that follow each other within this time, in milliseconds, the diff is asked for after the last one. */
const PAUSE = 120;

/** Keeps the bar in its box. @param {HTMLElement} box @param {import('./server.js').State} state */
export function attach(box, state) {
  const { api } = state;
  let isOpen = false;
  /** What the edit was brought to, or why not. @type {Review | Problem | undefined} */
  let found;
  /** Why the last change was not made; it is shown until the edit is another one. @type {{ problem: Problem, draft: unknown } | undefined} */
  let failed;
  /** Names of guards. @type {string[]} */
  let accepted = [];
  /** The edit for which they are accepted. */
  let acceptedFor = '';
  let request = new AbortController();
  /** The edit that was there the last time. @type {Draft | null} */
  let known = null;
  /** The time of the last edit. */
  let last = 0;

  const askLater = later(PAUSE, ask);
  const command = el('code');
  const copied = el('output');
  const form = new ApplyForm('Apply', askLater, applyEdit,
    el('details', el('summary', 'The same in a shell'), el('pre.output', { tabindex: 0 }, command), el('button.small', { onclick: copy }, 'Copy'), copied));
  form.buttons.append(el('button', { onclick: () => state.mayLeave() }, 'Discard'));
  const head = el('div.change-head');
  const result = el('div.result');
  const body = el('div.change-body', result, form.element);
  fill(box, head, body);

  state.subscribe(['draft', 'config', 'isConnected'], edited);
  state.subscribe(['isSending'], draw);
  document.addEventListener('keydown', key);
  edited();

  function edited() {
    draw();
    // Whoever pressed a button of an operation sees at once what it does.
    if (state.draft?.kind === 'operation' && !state.draft.isQuiet && state.draft !== known) open();
    known = state.draft;
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
    if (state.isSending) return busy('The change is being made');
    return [failed && problemView(failed.problem), comparison(found)];
  }

  /** @param {Review | Problem | undefined} made */
  function comparison(made) {
    if (!made) return busy('Computing the difference');
    if (made instanceof Problem) return problemView(made, (guard) => { accepted.push(guard); ask(); });
    const { clash } = made;
    if (clash) return clashView({ ...made, clash }, (side) => state.set({ draft: settled(made, side) }));
    if (!made.diff) return el('p', 'This edit changes nothing.');
    return [notesView(failed ? [] : made.notes), diffView(made.diff)];
  }

  /** @param {string} what is under way */
  function busy(what) {
    const { draft } = state;
    const many = draft?.kind === 'values' && draft.assignments.length > 1 && counted(draft.assignments.length, 'value');
    return [el('p', `${what} …`, many && ` ${many}`), el('progress', { 'aria-label': what })];
  }

  /** The review of the edit as it is, if it has a difference that can be made. */
  function reviewed() {
    return !state.isSending && found && !(found instanceof Problem) && found.diff && found.draft === state.draft ? found : undefined;
  }

  /** How the change is to be made. What was accepted for another edit is forgotten. @param {Draft} draft */
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
      const { pending, body: { id } } = await send(api, draft, how, { only_if: { 'one-of': [target] } });
      form.clear();
      tellApplied(state, pending, how.confirm, login);
      state.set({ isSending: false, draft: null });
      if (draft.kind !== 'operation') return;
      state.set({ removed: draft.removes ? { path: draft.removes, id } : null });
      if (draft.then) location.hash = draft.then;
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

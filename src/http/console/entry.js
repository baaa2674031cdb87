// What is shown of one entry, on a page of its own and beside the text: its text, plain values and last changes. Its secrets
// are masked, until one presses *Edit*. The page of one block: `#/streams/NAME`.

import { airView } from './air.js';
import { KEYS, counted, el, fill, pathOf, placeOf, refill, shownTime, textOf, told, wordOf } from './base.js';
import { askName, removeBlock } from './blocks.js';
import { EntryEditor, entries, vocabularyOf } from './editor.js';
import { formView, withWords, wordsFor } from './form.js';
import { effective, kindOf, templateOf } from './rows.js';
import { valueAt, withValue } from './review.js';
import { asProblem } from './server.js';
import { changeView, problemView } from './views.js';

/**
 * @typedef {import('./server.js').State} State
 * @typedef {import('./views.js').Change & { from: any, to: any }} Blamed a change with the values before and after it
 */

/** The last changes of an entry that are looked at, and those that are listed. */
const CHANGES = 20;
const LISTED = 5;

/**
 * Shows an entry in a box until the signal ends it.
 * @param {HTMLElement} box @param {State} state @param {import('./base.js').Segment[]} segments the path of the entry
 * @param {AbortSignal} signal @returns what puts the cursor into the text of the entry, at a line of the file
 */
export function showEntry(box, state, segments, signal) {
  const { api } = state;
  const path = pathOf(segments);
  const vocabulary = vocabularyOf(state);
  const notice = el('div');
  const fields = el('div');
  const held = el('div');
  const columns = el('div.entry-columns');
  /** @type {ReturnType<typeof formView> | undefined} */
  let form;
  let meanings = /** @type {import('./editor.js').Meaning[]} */ ([]);
  const edit = el('button', { onclick: () => { if (!opened) open(); else if (state.mayLeave()) reload(); } });
  /** @type {EntryEditor | undefined} */
  let editor;
  /** The text that is shown, its revision, its line and its values. */
  let [text, revision, line] = ['', '', 1];
  let values = /** @type {Record<string, unknown>} */ ({});
  let holds = effective({}, {});
  let changed = /** @type {Map<string, string>} */ (new Map());
  /** The text without masks, while it is edited. */
  let opened = '';

  /** Reads the entry, and shows it; where it is as it was, nothing changes. */
  async function load() {
    const query = { path, secrets: 'masked' };
    try {
      const answers = Promise.all([
        api.get('read_config', { ...query, format: 'conf' }),
        api.get('read_config', query),
        api.get('blame', { ...query, limit: CHANGES }).catch(() => ({ body: [] })),
      ]);
      const [now, read, blamed] = await (text ? answers : told(box, answers));
      // What is sent from here is in the configuration before its answer is.
      if (opened) return now.revision !== revision && now.body !== text && !state.isSending && tellOfChange();
      revision = now.revision;
      if (now.body === text) return;
      [text, line, values, changed] = [now.body, now.line || 1, read.body, lastChanges(blamed.body)];
      draw(blamed.body);
    } catch (error) {
      const problem = asProblem(error);
      const isGone = problem.status === 404;
      if (isGone && opened) fill(notice, problemView(problem), el('p.warning', 'Your text is below. “Review” asks whether to add it again.'));
      else if (isGone || !text) {
        text = '';
        fill(box, problemView(problem));
      }
    }
  }

  /** @param {Blamed[]} changes */
  function draw(changes) {
    const focused = editor?.area === document.activeElement;
    editor = new EntryEditor(state, vocabulary, { path, text, line, isReadOnly: true }, () => {});
    fill(notice);
    fill(columns, editor.element, el('div.entry-rest', fields, held, changesView(changes)));
    fill(box, notice, el('div.entry-head', state.mayEdit && edit), columns);
    if (focused) editor.area.focus();
    editor.set(withDraft(text, false));
    drawRest();
  }

  /** True if the edit is of single values of this entry. */
  const isOfValues = () => state.draft?.kind === 'values' && state.draft.label === path;

  /** A text with the values that are edited; those that are secret are not shown. @param {string} base @param {boolean} isShown */
  function withDraft(base, isShown) {
    const assignments = state.draft?.kind === 'values' && isOfValues() ? state.draft.assignments : [];
    return assignments.reduce((now, { path: at, value }) => {
      const meaning = meanings.find(({ name }) => pathOf([...segments, name]) === at);
      if (!meaning) return now;
      const isHidden = !isShown && meaning.isSecret && meaning.input && value !== 'remove';
      return withWords(now, meaning.keyword, 0, isHidden ? '"(new)"' : wordsFor(value));
    }, base);
  }

  /** Makes another text of the one that is edited. @param {(text: string) => string} change */
  async function rewrite(change) {
    if (!opened) await open(false);
    if (!opened) return;
    editor?.set(change(editor.area.value));
    form?.draw();
  }

  /** Shows the text with its secrets, to be edited; the server logs who does that. @param {boolean} [isFocused] */
  async function open(isFocused = true) {
    try {
      const now = await api.get('read_config', { path, format: 'conf', secrets: 'shown' }, { signal });
      if ((state.draft && !isOfValues()) || opened) return;
      [opened, revision] = [now.body, now.revision];
      const old = editor?.element;
      const cursor = editor?.area.selectionStart ?? 0;
      editor = new EntryEditor(state, vocabulary, { path, text: opened, line: now.line || line, isReadOnly: false }, typed);
      old?.replaceWith(editor.element);
      editor.area.setSelectionRange(cursor, cursor);
      if (isFocused) editor.area.focus();
      editor.set(withDraft(opened, true));
      drawRest();
    } catch (error) {
      fill(notice, problemView(error));
    }
  }

  /** @param {string} now */
  function typed(now) {
    state.set({ draft: now === opened ? null : { kind: 'text', label: path, base: state.draft?.kind === 'text' ? state.draft.base : revision, text: now } });
  }

  /** Shows the button and the fields as they can be used now. */
  async function drawRest() {
    if (!text) return;
    edit.textContent = opened ? 'Cancel' : 'Edit';
    edit.disabled = !opened && state.draft !== null && !isOfValues();
    const known = await vocabulary.catch(() => undefined);
    holds = effective(Object(values), state.whole);
    if (!form && known && segments.length > 1) makeForm(known.fields(entries(text)[0]?.keyword ?? ''));
    form?.draw();
    fill(held, segments[0] === 'streams' && heldView(holds));
  }

  /** @param {import('./editor.js').Meaning[]} found */
  function makeForm(found) {
    meanings = found;
    if (!found.length) return;
    form = formView(found, {
      segments,
      mayEdit: state.mayEdit,
      text: () => editor?.area.value ?? text,
      isOpened: () => opened !== '',
      isOther: () => state.draft !== null && state.draft.label !== path,
      assign: (at, value) => state.set({ draft: withValue(state.draft, { entry: path, base: revision, path: at }, value) }),
      assigned: (at) => valueAt(state.draft, at),
      rewrite,
      origin: (name) => {
        const { json: { [name]: value }, from: { [name]: origin } } = holds;
        return { value: wordOf(value?.url ?? value?.root ?? (typeof value === 'object' ? '' : value)), from: origin && originView(origin) };
      },
      changed: (name) => changed.get(name),
      explain: (meaning, row) => {
        editor?.explain(meaning);
        // Where the text is above the form, the documentation is at the field.
        const isNarrow = !getComputedStyle(columns).gridTemplateColumns.includes(' ');
        if (editor) (isNarrow ? row : editor.element).append(editor.help);
      },
    });
    fill(fields, form.element);
    editor?.set(opened ? editor.area.value : withDraft(text, false));
  }

  function draftChanged() {
    // It was applied or discarded elsewhere, or another edit took its place.
    const isOver = state.draft ? state.draft.label !== path : editor?.area.value !== opened;
    if (opened && isOver) reload();
    else {
      if (!opened) editor?.set(withDraft(text, false));
      drawRest();
    }
  }

  /** Shows it again, also where its text is as it was, with its secrets masked. */
  function reload() {
    text = opened = '';
    load();
  }

  function tellOfChange() {
    fill(notice, el('p.warning', 'Somebody else has changed this entry since you began. “Review” merges both.'));
    state.announce('Somebody else has changed this entry.');
  }

  state.subscribe(['role'], reload, signal);
  state.subscribe(['config'], load, signal);
  state.subscribe(['whole'], drawRest, signal);
  state.subscribe(['draft'], draftChanged, signal);
  load();
  return (/** @type {number} */ at) => editor?.goTo(at);
}

/** The values that a stream has from elsewhere. @param {ReturnType<typeof effective>} held */
function heldView({ json, from }) {
  const parts = (/** @type {string} */ name) => json[name]?.constructor === Object
    ? Object.entries(json[name]).map(([part, value]) => [`${name}.${part}`, value]) : [[name, json[name]]];
  const rows = Object.entries(from).flatMap(([name, origin]) => parts(name).map(([path, value]) =>
    [el('dt', path), el('dd', el('code', textOf(value)), ' from the ', originView(origin))]));
  return rows.length > 0 && el('section', { 'aria-label': 'From elsewhere' }, el('h2', 'From elsewhere'), el('dl.held', rows));
}

/** Where a value comes from, with the way there. @param {string} origin */
function originView(origin) {
  const template = templateOf(origin);
  return template === undefined ? 'top level' : el('a', { href: placeOf(template, 'templates') }, origin);
}

/** For each member the last change of it, in words. @param {Blamed[]} changes the last one first */
function lastChanges(changes) {
  const found = /** @type {Map<string, string>} */ (new Map());
  for (const { at, by, from, to } of changes.toReversed()) {
    for (const name of namesOf(from, to)) {
      const isOther = JSON.stringify(from?.[name]) !== JSON.stringify(to?.[name]);
      if (isOther) found.set(name, `last changed by ${by ?? 'somebody'}, ${shownTime(at)}`);
    }
  }
  return found;
}

/** The members that an entry had before a change or has after it. @param {any} from @param {any} to */
const namesOf = (from, to) => Object.keys({ ...from, ...to });

/** @param {Blamed[]} changes */
function changesView(changes) {
  return changes.length > 0 && el('section', { 'aria-label': 'Last changes' }, el('h2', 'Last changes'),
    el('ol.changes', changes.slice(0, LISTED).map((change) => changeView(change, false, changedWords(change)))));
}

/** What a change made of its first values. @param {Blamed} change */
function changedWords({ from, to }) {
  const shown = (/** @type {unknown} */ value) => value === undefined ? 'nothing' : textOf(value);
  return namesOf(from, to).slice(0, 3).map((name) => `${name}: ${shown(from?.[name])} → ${shown(to?.[name])}`).join(', ');
}

/** @type {import('./base.js').Show} */
export function showBlock(main, state, { view, rest: [name = ''] }, signal) {
  const key = KEYS[view] ?? view;
  const path = pathOf([key, name]);
  const [box, uses, head] = [el('div.entry-page'), el('div'), el('div.page-head')];
  const isOwn = () => Object.hasOwn(state.config[key] ?? {}, name);
  /** The block with the values that hold; `undefined` if there is none. */
  const block = () => Object.hasOwn(state.whole?.[key] ?? {}, name) ? effective(state.whole[key][name], state.whole).json : undefined;
  fill(main, head, key === 'streams' && airView(state, name, block, signal), uses, box);
  /** True once it is shown as an entry of the file, which looks after itself. */
  let isFollowed = false;
  const show = () => {
    const { entries: all, fault } = state.included;
    const included = all.get(path);
    if (!isOwn() && included) showIncluded(box, state, path, included);
    // Its file may still be read.
    else if (isOwn() || fault || all.size || !state.config.include) {
      isFollowed = true;
      showEntry(box, state, [key, name], signal);
    }
  };
  const showHead = () => {
    const found = block();
    const kind = found && (key === 'streams' ? kindOf(found) : view.slice(0, -1));
    refill(head, [kind, isOwn()], () => [el('h1', name), kind && el('span.state', kind), state.mayEdit && isOwn() && el('div.buttons',
      ['Copy', 'Rename'].map((word) => el('button', { onclick: () => askName(state, view, word, name) }, word)),
      el('button', { onclick: () => removeBlock(state, view, name) }, 'Remove'))]);
    const users = found && view === 'templates' && usersOf(state.whole, name);
    refill(uses, users, () => users && usersView(users));
  };
  state.subscribe(['config', 'whole'], showHead, signal);
  state.subscribe(['included'], () => { if (!isFollowed) show(); }, signal);
  showHead();
  show();
}

/** The blocks that use a template: their views and names. @param {any} config @param {string} name @returns {[string, string][]} */
export function usersOf(config, name) {
  return Object.entries(KEYS).flatMap(([view, key]) => Object.entries(config?.[key] ?? {})
    .filter(([, block]) => block?.template === name).map(([user]) => /** @type {[string, string]} */ ([view, user])));
}

/** @param {[string, string][]} users */
function usersView(users) {
  return el('section.uses', { 'aria-label': 'Used by' }, el('h2', `Used by ${users.length ? counted(users.length, 'block') : 'nothing'}`),
    el('ul', users.map(([view, user]) => el('li', el('a', { href: placeOf(user, view) }, user)))));
}

/** Shows an entry of an included file, which is not changed from here. @param {HTMLElement} box @param {State} state @param {string} path @param {import('./server.js').IncludedEntry} included */
function showIncluded(box, state, path, { file, line, text }) {
  const editor = new EntryEditor(state, vocabularyOf(state), { path, text, line, isReadOnly: true }, () => {});
  fill(box, el('p.warning', `It is in the included file ${file}, line ${line}, and read only here.`), editor.element);
}

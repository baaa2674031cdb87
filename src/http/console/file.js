// The file where it is not what runs: `#/file`. Its faults with their lines, its text, and the ways to mend it: in an editor, the
// fixes of `check`, and the text that runs.

import { counted, el, fill, refill, runsWords } from './base.js';
import { EntryEditor, vocabularyOf } from './editor.js';
import { propose } from './review.js';
import { faultItem, placeView, problemView } from './views.js';

/** @typedef {import('./editor.js').Found & { file?: string }} Found */

/** Of a longer file so many lines around a fault are shown; and the faults that are listed. */
const [MOST, LISTED] = [1000, 20];

/** @type {import('./base.js').Show} */
export function showFile(main, state, _, signal) {
  const { api, mayEdit } = state;
  const [head, faults, box] = [el('div.entry-page'), el('div'), el('div')];
  /** @type {EntryEditor | undefined} */
  let editor;
  /** The text, the revision of the file that it is of, and what is in front of the lines that are shown, and behind them. */
  let [text, revision, before, after] = ['', '', '', ''];
  let isOpened = false;
  /** @type {Found[]} */
  let found = [];
  const edit = el('button.primary', { onclick: () => { if (!isOpened) open(); else if (state.mayLeave()) again(); } });
  fill(main, el('div.entry-page', el('h1', 'File'), head, faults, box));

  const read = (/** @type {'masked' | 'shown'} */ secrets) => api.get('read_config', { source: 'saved', format: 'conf', secrets });

  async function load() {
    const { status } = state;
    const isBroken = status?.state.includes('broken');
    if (isOpened && status?.revisions.file === revision) return;
    try {
      const now = await read('masked');
      const checked = mayEdit ? (await api.post('check_config', { source: 'saved', columns: 'utf16' })).body : { faults: [], errors: 0 };
      if (isOpened && state.draft) return fill(head, el('p.warning', { role: 'alert' }, 'The file was changed since you began.'));
      [text, revision, isOpened] = [now.body, now.revision, false];
      edit.textContent = 'Edit';
      // What keeps it from being loaded comes first.
      found = checked.faults.toSorted((/** @type {Found} */ a, /** @type {Found} */ b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
      refill(head, [status?.state, checked, status?.last_change], () => [
        el('p', { class: isBroken ? 'problem' : 'own' }, isBroken ? `The file has ${counted(checked.errors, 'error')} and can’t be loaded: ` :
          status?.state.includes('edited-by-hand') ? 'The file was edited by hand and has no errors: ' : 'The file is what runs: ', `${runsWords(status)}.`),
        mayEdit && el('div.buttons', edit,
          found.some((each) => each.fix) && el('button', { onclick: fix }, 'Fix'),
          status?.state.includes('edited-by-hand') && el('button', { onclick: goBack }, 'Go back to what runs'),
          !isBroken && status?.state.includes('edited-by-hand') && el('button', { onclick: run }, 'Run the file'))]);
      const lines = text.split('\n');
      fill(faults, found.length > 0 && el('ul.faults', { 'aria-label': 'Faults of the file' }, found.slice(0, LISTED).map((fault) =>
        faultItem(fault, placeView(fault, goTo), !fault.file && el('code', lines[fault.line - 1]?.trim()))), found.length > LISTED && el('li', `and ${found.length - LISTED} more`)));
      show(text, found.find(({ file }) => !file)?.line);
    } catch (error) {
      fill(head, problemView(error));
    }
  }

  /** Shows the file, or of a long one the lines around one. @param {string} whole @param {number} [line] */
  function show(whole, line = 1) {
    const lines = whole.split(/(?<=\n)/);
    const first = lines.length > MOST ? Math.max(0, line - MOST / 2) : 0;
    [before, after] = [lines.slice(0, first).join(''), lines.slice(first + MOST).join('')];
    const own = isOpened ? undefined : found.filter(({ file }) => !file);
    editor = new EntryEditor(state, vocabularyOf(state),
      { path: '', text: lines.slice(first, first + MOST).join(''), line: first + 1, around: [before, after], isReadOnly: !isOpened, found: own }, typed);
    fill(box, lines.length > MOST && el('p.quiet', `Lines ${first + 1} to ${Math.min(first + MOST, lines.length)} of ${lines.length}; a fault leads to its lines`), editor.element);
  }

  function goTo(/** @type {number} */ line) {
    if (!isOpened) show(text, line);
    editor?.goTo(line);
  }

  function again() {
    isOpened = false;
    load();
  }

  /** Shows the text with its secrets, to be edited. */
  async function open() {
    const now = await read('shown');
    if (isOpened || !state.mayLeave()) return;
    [text, revision, isOpened] = [now.body, now.revision, true];
    edit.textContent = 'Cancel';
    const line = editor?.cursorLine;
    fill(faults);
    show(text, line);
    editor?.goTo(line ?? 1);
  }

  function typed(/** @type {string} */ part) {
    const now = before + part + after;
    const draft = { kind: /** @type {const} */ ('operation'), label: 'the file', base: revision, operation: { save: now }, command: [], isOfFile: true, isQuiet: true };
    state.set({ draft: now === text ? null : draft });
  }

  const asIs = { modify: { edits: { patch: {} } } };
  const made = { base: null, isOfFile: true };
  const fix = () => propose(state, { ...made, label: 'the fixes of check', operation: { fix: {} }, command: ['check', '--fix'] });
  const goBack = () => propose(state, { ...made, label: 'the text that runs, in the file', operation: asIs, force: true, command: ['modify', '--yes', '--force', '-f', '-'] });
  const run = () => propose(state, { ...made, label: 'the file, as it is', operation: asIs, command: [] });

  state.subscribe(['status', 'role'], load, signal);
  state.subscribe(['draft'], () => {
    // It was applied or discarded.
    if (!state.draft && isOpened && editor && before + editor.area.value + after !== text) again();
  }, signal);
  load();
}

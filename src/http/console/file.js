// The file where it is not what runs: `#/file`. Its faults with their lines, its text, and the ways to mend it: in an editor, the
// fixes of `check`, and the text that runs.

import { counted, el, fill, refill, runsWords } from './base.js';
import { EntryEditor, vocabularyOf } from './editor.js';
import { propose } from './review.js';
import { faultItem, problemView } from './views.js';

/** @typedef {import('./editor.js').Found} Found */

/** @type {import('./base.js').Show} */
export function showFile(main, state, _, signal) {
  const { api, mayEdit } = state;
  const [head, faults, box] = [el('div.entry-page'), el('div'), el('div')];
  /** @type {EntryEditor | undefined} */
  let editor;
  /** The text that is shown, and the revision of the file that it is of. */
  let [text, revision] = ['', ''];
  let isOpened = false;
  const edit = el('button.primary', { onclick: () => { if (!isOpened) open(); else if (state.mayLeave()) again(); } });
  fill(main, el('div.entry-page', el('h1', 'File'), head, faults, box));

  /** @param {'masked' | 'shown'} secrets */
  const read = (secrets) => api.get('read_config', { source: 'saved', format: 'conf', secrets });

  async function load() {
    const { status } = state;
    const isBroken = status?.state.includes('broken');
    if (isOpened && status?.revisions.file === revision) return;
    try {
      const now = await read('masked');
      const found = mayEdit ? (await api.post('check_config', { source: 'saved', columns: 'utf16' })).body : { faults: [], errors: 0, warnings: 0 };
      if (isOpened && state.draft) return fill(head, el('p.warning', { role: 'alert' }, 'The file was changed since you began.'));
      [text, revision, isOpened] = [now.body, now.revision, false];
      edit.textContent = 'Edit';
      refill(head, [status?.state, found, status?.last_change], () => [
        el('p', { class: isBroken ? 'problem' : 'own' }, isBroken ? `The file has ${counted(found.errors, 'error')} and can’t be loaded: ` :
          status?.state.includes('edited-by-hand') ? 'The file was edited by hand and has no errors: ' : 'The file is what runs: ', `${runsWords(status)}.`),
        mayEdit && el('div.buttons', edit,
          found.faults.some((/** @type {Found} */ each) => each.fix) && el('button', { onclick: fix }, 'Fix'),
          status?.state.includes('edited-by-hand') && el('button', { onclick: goBack }, 'Go back to what runs'),
          !isBroken && status?.state.includes('edited-by-hand') && el('button', { onclick: run }, 'Run the file'))]);
      const lines = text.split('\n');
      fill(faults, found.faults.length > 0 && el('ul.faults', { 'aria-label': 'Faults of the file' }, found.faults.map((/** @type {Found & { file?: string }} */ fault) =>
        faultItem(fault, fault.file ? `${fault.file}, line ${fault.line}` : el('button.link', { onclick: () => editor?.goTo(fault.line) }, `Line ${fault.line}`),
          !fault.file && el('code', lines[fault.line - 1]?.trim())))));
      show(text, found.faults.filter((/** @type {{ file?: string }} */ { file }) => !file));
    } catch (error) {
      fill(head, problemView(error));
    }
  }

  /** @param {string} shown @param {Found[]} [found] */
  function show(shown, found) {
    editor = new EntryEditor(state, vocabularyOf(state), { path: '', text: shown, line: 1, isReadOnly: !isOpened, found }, typed);
    fill(box, editor.element);
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
    const at = editor?.area.selectionStart ?? 0;
    fill(faults);
    show(text);
    editor?.area.setSelectionRange(at, at);
    editor?.area.focus();
  }

  /** @param {string} now */
  function typed(now) {
    const draft = { kind: /** @type {const} */ ('operation'), label: 'the file', base: revision, operation: { save: now }, command: [], isOfFile: true, isQuiet: true };
    state.set({ draft: now === text ? null : draft });
  }

  function fix() {
    propose(state, { label: 'the fixes of check', operation: { fix: {} }, base: null, command: ['check', '--fix'], isOfFile: true });
  }

  function goBack() {
    propose(state, { label: 'the text that runs, in the file', operation: { modify: { edits: { patch: {} } } }, base: null, force: true,
      command: ['modify', '--yes', '--force', '-f', '-'], isOfFile: true });
  }

  function run() {
    propose(state, { label: 'the file, as it is', operation: { modify: { edits: { patch: {} } } }, base: null, command: [], isOfFile: true });
  }

  state.subscribe(['status', 'role'], load, signal);
  state.subscribe(['draft'], () => {
    // It was applied or discarded.
    if (!state.draft && isOpened && editor?.area.value !== text) again();
  }, signal);
  load();
}

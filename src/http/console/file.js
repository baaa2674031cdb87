// The file where it is not what runs: `#/file`. Its faults with their lines, its text, and the ways to mend it: in an editor, the
// fixes of `check`, and the text that runs.

import { counted, el, fill, refill, runsWords } from './base.js';
import { EntryEditor, startOf, vocabularyOf } from './editor.js';
import { propose } from './review.js';
import { faultItem, placeView, problemView } from './views.js';

/** @typedef {import('./editor.js').Found & { file?: string }} Found */

/** Of a longer file so many lines around a fault are shown; and the faults that are listed, and the places of one. */
const [MOST, LISTED, PLACES] = [1000, 20, 10];

/** @type {import('./base.js').Show} */
export function showFile(main, state, _, signal) {
  const { api, mayEdit } = state;
  const [head, faults, box] = [el('div.entry-page'), el('div'), el('div')];
  /** @type {EntryEditor | undefined} */
  let editor;
  /** The text, the revision of the file that it is of, and what is in front of the lines that are shown, and behind them. */
  let [text, revision, before, after] = ['', '', '', ''];
  let end = '\n';
  let isOpened = false;
  /** The faults: what keeps the file from being loaded comes first. @type {Found[]} */
  let found = [];
  const errorsFirst = (/** @type {Found[]} */ all) => all.toSorted((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  const edit = el('button.primary', { onclick: () => { if (!isOpened) open(); else if (state.mayLeave()) again(); } });
  fill(main, el('div.entry-page', el('h1', 'File'), head, faults, box));

  const read = (/** @type {'masked' | 'shown'} */ secrets) => api.get('read_config', { source: 'saved', format: 'conf', secrets });

  async function load() {
    if (isOpened && state.status?.revisions.file === revision) return;
    try {
      const now = await read('masked');
      const checked = mayEdit ? (await api.post('check_config', { source: 'saved', columns: 'utf16' })).body : { faults: [], errors: 0 };
      if (isOpened && state.draft) return fill(head, el('p.warning', { role: 'alert' }, 'The file was changed since you began.'));
      const { status } = state;
      const [isBroken, isByHand, isUnsaved] = ['broken', 'edited-by-hand', 'unsaved-update'].map((name) => status?.state.includes(name));
      [text, revision, isOpened] = [now.body, now.revision, false];
      edit.textContent = 'Edit';
      found = errorsFirst(checked.faults);
      refill(head, [status?.state, checked, status?.last_change], () => [
        el('p', { class: isBroken ? 'problem' : 'own' }, isBroken ? `The file has ${mayEdit ? counted(checked.errors, 'error') : 'errors'} and can’t be loaded: ` :
          isByHand ? 'The file was edited by hand and has no errors: ' : isUnsaved ? 'The file is not what runs: ' : 'The file is what runs: ', `${runsWords(status)}.`),
        mayEdit && el('div.buttons', edit,
          found.some((each) => each.fix) && el('button', { onclick: fix }, 'Fix'),
          (isByHand || isUnsaved) && el('button', { onclick: goBack }, 'Go back to what runs'),
          isByHand && !isBroken && !isUnsaved && el('button', { onclick: run }, 'Run the file'))]);
      show(text, found.find(({ file }) => !file)?.line);
    } catch (error) {
      fill(head, problemView(error));
    }
  }

  /** Lists the faults, the same of many places once; while the file is edited, those of the lines that are not shown. */
  function list() {
    const lines = whole().split('\n');
    const others = isOpened ? found.filter(({ file, line }) => file || !isShown(line)) : found;
    const groups = Object.values(Object.groupBy(others, ({ severity, message }) => severity + message)).map((group) => group ?? []);
    fill(faults, groups.length > 0 && el('ul.faults', { 'aria-label': 'Faults of the file' }, groups.slice(0, LISTED).map(([fault, ...more]) => fault &&
      faultItem(fault, placeView(fault, goTo), !fault.file && el('code', lines[fault.line - 1]?.trim()), more.slice(0, PLACES).map((each) => placeView(each, goTo)),
        more.length > PLACES && el('span.quiet', `and ${counted(more.length - PLACES, 'other place')}`))),
    groups.length > LISTED && el('li', `and ${groups.length - LISTED} more`)));
  }

  /** True if a line of the file is one of those that are shown. @param {number} line */
  function isShown(line) {
    const first = before.split('\n').length;
    return line >= first && line < first + (editor?.area.value.split('\n').length ?? 0);
  }

  const whole = () => isOpened && editor ? before + editor.area.value + after : text;

  /** Shows the file, or of a long one the lines around one. @param {string} all @param {number} [line] */
  function show(all, line = 1) {
    const lines = all.split(/(?<=\n)/);
    const first = lines.length > MOST ? Math.max(0, Math.min(line - MOST / 2, lines.length - MOST)) : 0;
    [before, after] = [lines.slice(0, first).join(''), lines.slice(first + MOST).join('')];
    const own = isOpened ? undefined : found.filter(({ file }) => !file);
    const told = (/** @type {Found[]} */ now) => { found = errorsFirst(now); list(); };
    editor = new EntryEditor(state, vocabularyOf(state),
      { path: '', text: lines.slice(first, first + MOST).join(''), line: first + 1, around: [before, after], isReadOnly: !isOpened, found: own, told }, typed);
    const at = startOf(editor.area.value.split('\n'), line - first - 1);
    editor.area.setSelectionRange(at, at);
    const more = (/** @type {string} */ word, /** @type {number} */ to) => el('button.small', { onclick: () => goTo(to) }, word);
    fill(box, lines.length > MOST && el('p.quiet', `Lines ${first + 1} to ${Math.min(first + MOST, lines.length)} of ${lines.length} `,
      before && more('Earlier lines', first), ' ', after && more('Later lines', first + MOST + 1)), editor.element);
    list();
  }

  function goTo(/** @type {number} */ line) {
    if (!isShown(line)) show(whole(), line);
    editor?.goTo(line);
    editor?.colours.children[line - editor.shown.line]?.scrollIntoView({ block: 'center' });
  }

  function again() {
    isOpened = false;
    load();
  }

  /** Shows the text with its secrets, to be edited. */
  async function open() {
    const now = await read('shown');
    if (isOpened || !state.mayLeave()) return;
    [text, revision, isOpened, end] = [now.body, now.revision, true, now.end];
    edit.textContent = 'Cancel';
    const line = editor?.cursorLine ?? 1;
    show(text, line);
    goTo(line);
  }

  function typed(/** @type {string} */ part) {
    const now = before + part + after;
    const draft = { kind: /** @type {const} */ ('operation'), label: 'the file', base: revision, operation: { save: now.replaceAll('\n', end) }, command: [], isOfFile: true, isQuiet: true };
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
    if (!state.draft && isOpened && whole() !== text) again();
  }, signal);
  load();
}

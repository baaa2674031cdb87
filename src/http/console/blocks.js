// The operations on a whole block, as the command line has them: *Add*, *Copy*, *Rename* and *Remove*, with a form where one
// needs a name.

import { KEYS, el, fill, pathOf, placeOf, segmentsOf, told } from './base.js';
import { propose } from './review.js';
import { problemView } from './views.js';

/** @typedef {import('./server.js').State} State */

/** What each button does with a block: the word of the command line, and what is made. @type {Record<string, [string, string]>} */
const OPERATIONS = { Add: ['add', 'new'], Copy: ['cp', 'copied'], Rename: ['mv', 'moved'] };

/**
 * Asks for a name, and shows what the operation would change.
 * @param {State} state @param {string} view such as `streams` @param {string} button one of `Add`, `Copy` and `Rename`
 * @param {string} [from] the name of the block that is copied or renamed
 */
export function askName(state, view, button, from = '') {
  const key = KEYS[view] ?? '';
  const noun = view.slice(0, -1);
  const title = button === 'Add' ? `Add a ${noun}` : `${button} the ${noun} ${from}`;
  const name = el('input', { name: 'name', required: true, value: from, autocapitalize: 'none', oninput: judge });
  const source = el('input', { name: 'source', oninput: judge, placeholder: 'such as udp://239.0.0.1:1234' });
  const hasSource = button === 'Add' && view === 'streams';
  const fault = el('p.fault', { role: 'alert' });
  const dialog = el('dialog', { 'aria-label': title, onclose: () => dialog.remove() },
    el('form.ask', { onsubmit: submitted }, el('h2', title),
      el('label', button === 'Add' ? 'Name' : 'New name', name), hasSource && el('label', 'Source', source), fault,
      el('div.buttons', el('button.primary', 'Review'), el('button', { onclick: () => dialog.close() }, 'Cancel'))));
  document.body.append(dialog);
  dialog.showModal();
  name.select();

  /** Says at once what can't be. */
  function judge() {
    const isTaken = name.value !== from && Object.hasOwn(state.whole?.[key] ?? {}, name.value);
    const hasBlank = /\s/.test(source.value.trim());
    fault.textContent = isTaken ? `There is a ${noun} ${name.value} already.` : hasBlank ? 'A source has no blank: its options come next, on its page.' : '';
    return !fault.textContent && name.value !== from;
  }

  function submitted() {
    if (!judge()) return name.focus();
    const [word = '', content = ''] = OPERATIONS[button] ?? [];
    const [old, to] = [pathOf([key, from]), pathOf([key, name.value])];
    const url = source.value.trim();
    const made = hasSource && url ? { urls: [{ url }] } : {};
    dialog.close();
    propose(state, {
      label: button === 'Add' ? `new ${to}` : button === 'Copy' ? `${to}, a copy of ${old}` : `${old}, renamed ${to}`,
      operation: { modify: { edits: { block: { content: { [content]: from ? old : made }, to, assignments: [], options: {} } }, expectations: [] } },
      // No command adds a template: `edit` makes it.
      command: button !== 'Add' ? [word, old, to] : noun === 'template' ? [] : ['add', noun, name.value, url].filter(Boolean),
      then: placeOf(name.value, view),
    });
  }
}

/** Shows what the removal of a block would change. @param {State} state @param {string} view @param {string} name */
export function removeBlock(state, view, name) {
  const path = pathOf([KEYS[view] ?? '', name]);
  propose(state, { label: `removal of ${path}`, removes: path, then: `#/${view}`, command: ['rm', path],
    operation: { modify: { edits: { assignments: { assignments: [{ path, value: 'remove' }] } }, expectations: [] } } });
}

/** The way back after a block was removed here, until it is there again. @param {State} state */
export function undoView(state) {
  const { removed } = state;
  const [key = '', name = ''] = segmentsOf(removed?.path ?? '');
  if (!removed || Object.hasOwn(state.config?.[key] ?? {}, name)) return null;
  const fault = el('span');
  const undo = async () => {
    try {
      const isPending = [state.applied, state.status?.pending?.id].includes(removed.id);
      await told(fault, isPending ? state.api.post('cancel_config', { id: removed.id }) :
        state.api.post('change', {}, { operation: { revert: removed.id }, options: { message: `undo of the removal of ${removed.path}` } }), 'Waiting for the server …');
      if (isPending) state.set({ applied: null });
      state.set({ removed: null });
      state.announce(`${removed.path} is there again.`);
    } catch (error) {
      fill(fault, problemView(error));
    }
  };
  return [`${removed.path} is removed. `, el('button.small', { onclick: undo }, 'Undo'), fault];
}

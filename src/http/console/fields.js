// The plain values of an entry: switches, numbers and words, with what holds without them and who changed them last.

import { el, fill } from './dom.js';
import { valueAt, withValue } from './draft.js';
import { pathOf } from './path.js';
import { wordOf } from './rows.js';
import { MASK } from './words.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('./vocabulary.js').Meaning} Meaning
 * @typedef {import('./draft.js').NewValue} NewValue
 * @typedef {{ entry: string, segments: import('./path.js').Segment[], base: string, values: Record<string, unknown>,
 *   changes: Map<string, string>, isLocked: boolean }} Shown
 */

/** The form of all plain values. @param {State} state @param {Meaning[]} meanings @param {Shown} shown */
export function fieldsView(state, meanings, shown) {
  return el('section.fields', { 'aria-label': 'Values' }, el('h2', 'Values'),
    shown.isLocked && state.mayEdit && el('p.quiet', 'To change these values, apply or discard the other edit first.'),
    el('form.table', { onsubmit: () => {} }, meanings.map((meaning) => row(state, meaning, shown))));
}

/** @param {State} state @param {Meaning} meaning @param {Shown} shown */
function row(state, meaning, { entry, segments, base, values, changes, isLocked }) {
  const { name, keyword, description, unit, usual, input, isSecret } = meaning;
  const path = pathOf([...segments, name]);
  const id = `field-${name}`;
  const own = values[name];
  const isSwitch = input === 'boolean';
  const isMask = MASK.test(String(own));
  const holdsMask = isMask && String(own).replace(MASK, '') !== '';
  const old = isMask ? '' : own === false && !isSwitch ? 'off' : String(own ?? '');
  const isFixed = !state.mayEdit || isLocked || holdsMask;

  const about = el('span.about.quiet');
  const button = (/** @type {string} */ word, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
    el('button.small', { 'aria-label': label, onclick }, word);
  const remove = button('Remove', `Remove ${keyword}`, () => edit('remove'));
  const undo = button('Undo', `Undo the edit of ${keyword}`, () => edit(undefined));
  const field = el(isSwitch ? 'select' : 'input', { id, type: isSecret && 'password',
    placeholder: isMask ? 'hidden' : usual, oninput: () => edit(typed()) },
  isSwitch && [['', 'not set'], ['true', 'on'], ['false', 'off']].map(([value, word]) => el('option', { value }, word)));
  const line = el('div.field', el('label', { for: id, title: description }, keyword),
    el('div.control', isFixed ? el('output', { id }, [wordOf(own) || '–', ' ', own !== undefined && unit]) : [field, el('span.unit.quiet', unit), remove, undo]),
    about);

  /** The edit that is typed; a word that looks like a number stays a word. @returns {NewValue | undefined} */
  function typed() {
    const { value } = field;
    if (value === old || (!value && own === undefined)) return undefined;
    if (!value) return 'remove';
    return input === 'string' ? { text: value } : { typed: value };
  }

  /** @param {NewValue | undefined} value */
  function edit(value) {
    state.set({ draft: withValue(state.draft, { entry, base, path }, value) });
    draw(value);
  }

  /** @param {NewValue | undefined} made */
  function draw(made) {
    const isEdited = made !== undefined;
    const text = made === 'remove' ? '' : made ? Object.values(made)[0] : old;
    // What is the same keeps its cursor.
    if (field.value !== text) field.value = text;
    remove.hidden = own === undefined || made === 'remove';
    undo.hidden = !isEdited;
    line.classList.toggle('edited', isEdited);
    const inherited = own === undefined && values[`${name}_global`] !== undefined;
    fill(about, [
      isEdited && 'edited, not sent',
      holdsMask && 'holds a secret: edit the text above',
      inherited && `inherited from the global ${name}`,
      changes.get(name),
      own !== undefined && 'in the text',
      usual && `without it: ${usual}`,
      'not set',
    ].find(Boolean));
  }

  draw(valueAt(state.draft, path));
  return line;
}

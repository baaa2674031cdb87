// The plain values of an entry: switches, numbers and words, with what holds without them and who changed them last.

import { el, fill } from './dom.js';
import { pathOf } from './path.js';
import { MASK } from './words.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('./vocabulary.js').Meaning} Meaning
 * @typedef {import('./drafts.js').NewValue} NewValue
 * @typedef {{ entry: string, segments: string[], base: string, values: Record<string, unknown>,
 *   changes: Map<string, string>, isLocked: boolean }} Shown
 */

/**
 * The form of all plain values.
 * @param {State} state
 * @param {Meaning[]} meanings
 * @param {Shown} shown
 */
export function fieldsView(state, meanings, shown) {
  const rows = meanings.map((meaning) => row(state, meaning, shown));
  const note = shown.isLocked && state.mayEdit
    && el('p.quiet', 'The text above has an edit. Apply or discard it, and these values can be changed.');
  return el('section.fields', { 'aria-label': 'Values' }, el('h2', 'Values'), note, el('form.table', { autocomplete: 'off', onsubmit: (event) => event.preventDefault() }, ...rows));
}

/**
 * @param {State} state
 * @param {Meaning} meaning
 * @param {Shown} shown
 */
function row(state, meaning, shown) {
  const { name, unit, description } = meaning;
  const path = pathOf([...shown.segments, name]);
  const id = `field-${name}`;
  const own = shown.values[name];
  const edit = state.drafts.valueAt(path);
  const about = el('span.about.quiet');
  const box = el('div.control');
  const draw = (/** @type {NewValue | undefined} */ made) => {
    const set = (/** @type {NewValue | undefined} */ other) => {
      state.drafts.setValue({ entry: shown.entry, path, base: shown.base, before: own ?? null }, other);
      fill(about, aboutWords(meaning, own, shown, other !== undefined));
      line.classList.toggle('edited', other !== undefined);
    };
    fill(box, ...(state.mayEdit && !shown.isLocked && !hasMaskInside(own)
      ? controls({ id, meaning, own, made, set, draw }) : [el('output', { id }, shownValue(own, unit))]));
    fill(about, aboutWords(meaning, own, shown, made !== undefined));
    line.classList.toggle('edited', made !== undefined);
  };
  const line = el('div.field', el('label', { for: id, title: description }, meaning.keyword), box, about);
  draw(edit);
  return line;
}

/**
 * @typedef {object} Control
 * @property {string} id
 * @property {Meaning} meaning
 * @property {unknown} own
 * @property {NewValue | undefined} made
 * @property {(value: NewValue | undefined) => void} set
 * @property {(value: NewValue | undefined) => void} draw
 */

/** @param {Control} control */
function controls({ id, meaning, own, made, set, draw }) {
  const change = (/** @type {NewValue | undefined} */ other) => { set(other); draw(other); };
  const remove = own !== undefined && made !== 'remove'
    && el('button.small', { type: 'button', 'aria-label': `Remove ${meaning.keyword}`, onclick: () => change('remove') }, 'Remove');
  const undo = made !== undefined
    && el('button.small', { type: 'button', 'aria-label': `Undo the edit of ${meaning.keyword}`, onclick: () => change(undefined) }, 'Undo');
  return [inputView({ id, meaning, own, made, set }), el('span.unit.quiet', meaning.unit), remove, undo];
}

/** @param {Omit<Control, 'draw'>} control */
function inputView({ id, meaning, own, made, set }) {
  const asked = meaning.input;
  const now = made === undefined ? own : made === 'remove' ? undefined : Object.values(made)[0];
  const typed = (/** @type {string} */ text, /** @type {unknown} */ old) =>
    set(text === String(old ?? '') ? undefined : text === '' ? (own === undefined ? undefined : 'remove') : newValue(meaning, text));
  if (asked?.kind === 'switch') {
    const select = el('select', { id, onchange: () => typed(select.value, own) },
      ...[['', 'not set'], ['true', 'on'], ['false', 'off']].map(([word, shown]) =>
        el('option', { value: word, selected: String(now ?? '') === word }, shown)));
    return select;
  }
  const text = now === false ? 'off' : String(now ?? '');
  const isMask = MASK.test(text);
  const box = el('input', { id, value: isMask ? '' : text, autocomplete: 'off', spellcheck: 'false',
    type: meaning.isSecret ? 'password' : 'text', inputmode: asked?.kind === 'number' && !asked.off ? 'numeric' : null,
    placeholder: isMask ? 'hidden' : meaning.usual.replace(/`/g, ''),
    oninput: () => typed(box.value, own === false ? 'off' : isMask ? '' : own) });
  return box;
}

/**
 * The value as the API takes it: a word that looks like a number stays a word.
 * @param {Meaning} meaning
 * @param {string} text
 * @returns {NewValue}
 */
function newValue({ input }, text) {
  return input?.kind === 'word' ? { text } : { typed: text };
}

/** True if a part of a value is a secret: the text alone takes the mask for it. @param {unknown} own */
function hasMaskInside(own) {
  return typeof own === 'string' && own.replace(MASK, '') !== '' && MASK.test(own);
}

/**
 * @param {unknown} own
 * @param {string} unit
 */
function shownValue(own, unit) {
  if (own === undefined) return '–';
  return own === true ? 'on' : own === false ? 'off' : `${own}${unit ? ` ${unit}` : ''}`;
}

/**
 * @param {Meaning} meaning
 * @param {unknown} own
 * @param {Shown} shown
 * @param {boolean} isEdited
 */
function aboutWords({ name, usual }, own, { values, changes }, isEdited) {
  if (isEdited) return 'edited, not sent';
  if (hasMaskInside(own)) return 'holds a secret: change it in the text above';
  const changed = changes.get(name);
  if (own !== undefined) return changed ?? 'in the text';
  const inherited = values[`${name}_global`];
  if (inherited !== undefined) return `inherited from the global ${name}`;
  return changed ?? (usual ? `without it: ${usual.replace(/`/g, '')}` : 'not set');
}

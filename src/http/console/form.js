// The values of one entry as a form: plain values, sources, authorization and archive. Each field stands for a directive of the
// text, which stays the truth: a field is read from it, and what is typed in a field is put into it.

import { MASK, el, fill, keyOf, pathOf, unquoted } from './base.js';
import { tokens } from './editor.js';

/**
 * @typedef {import('./editor.js').Meaning} Meaning
 * @typedef {import('./review.js').NewValue} NewValue
 * @typedef {import('./base.js').Child} Child
 */

/**
 * What the form is about: `text` gives the text as it is shown, `isOpened` says whether it is edited, and `isOther` whether the
 * edit is of something else. `assign` gives a value to a path, and `rewrite` makes another text; it opens the text first.
 * `origin` tells where a value comes from that is not in the text, and `explain` shows what a field means.
 * @typedef {{ segments: import('./base.js').Segment[], text: () => string, isOpened: () => boolean, isOther: () => boolean, mayEdit: boolean,
 *   assign: (path: string, value: NewValue | undefined) => void, assigned: (path: string) => NewValue | undefined,
 *   rewrite: (change: (text: string) => string) => void, origin: (name: string) => { value: string, from: Child },
 *   changed: (name: string) => string | undefined, explain: (meaning: Meaning, row: HTMLElement) => void }} Shown
 */

/** The form, and what draws it as the text is now. @param {Meaning[]} meanings @param {Shown} shown */
export function formView(meanings, shown) {
  const lines = meanings.map((meaning) => (meaning.keyword === 'url' ? sourcesLine(meaning, shown) : fieldLine(meaning, shown)));
  const other = el('p.quiet');
  const draw = () => {
    const all = directives(shown.text());
    other.textContent = shown.mayEdit && shown.isOther() ? 'To change these values, apply or discard the other edit first.' : '';
    for (const line of lines) line.draw(all);
  };
  draw();
  return { draw, element: el('section.fields', { 'aria-label': 'Values' }, el('h2', 'Values'), other,
    el('form.table', { onsubmit: () => {} }, lines.map(({ element }) => element))) };
}

/** A word of the text. @param {string} text */
const wordFor = (text) => /^[^\s;{}"#]+$/.test(text) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`;

/** The words of a value that is typed; `undefined` if the directive goes. @param {NewValue} value */
export const wordsFor = (value) => (value === 'remove' ? undefined : 'text' in value ? wordFor(value.text) : Object.values(value)[0]);

/** @param {Meaning} meaning @param {Shown} shown */
function fieldLine(meaning, shown) {
  const { name, keyword, description, unit, usual, input, isSecret } = meaning;
  const path = pathOf([...shown.segments, name]);
  const id = `field-${name}`;
  const isSwitch = input === 'boolean';
  const about = el('span.about.quiet');
  const button = (/** @type {string} */ word, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
    el('button.small', { 'aria-label': label, onclick }, word);
  const remove = button('Unset', `Unset ${keyword}`, () => edit('remove'));
  const undo = button('Undo', `Undo the edit of ${keyword}`, () => shown.assign(path, undefined));
  const field = el(isSwitch ? 'select' : 'input', { id, type: isSecret && input && 'password', oninput: () => edit(typed()) },
    isSwitch && [['', 'not set'], ['true', 'on'], ['false', 'off']].map(([value, word]) => el('option', { value }, word)));
  const output = el('output', { id });
  const control = el('div.control');
  const element = el('div.field', { onfocusin: () => shown.explain(meaning, element) }, el('label', { for: id, title: description }, keyword), control, about);
  /** The words of the text; `undefined` if it has no such directive. @type {string | undefined} */
  let words;

  /** @type {() => NewValue} */
  const typed = () => (!field.value ? 'remove' : input === 'string' ? { text: field.value } : { typed: field.value });

  function edit(/** @type {NewValue} */ value) {
    if (shown.isOpened()) shown.rewrite((text) => withWords(text, keyword, 0, wordsFor(value)));
    else shown.assign(path, value === 'remove' && !shown.assigned(path) && words === undefined ? undefined : value);
  }

  function draw(/** @type {Directive[]} */ all) {
    const own = all.find((each) => each.keyword === keyword);
    words = own?.words;
    const isMask = !shown.isOpened() && MASK.test(words ?? '');
    const holdsMask = isMask && (words ?? '').replace(MASK, '') !== '';
    const made = shown.isOpened() ? undefined : shown.assigned(path);
    const { value: holds, from } = shown.origin(name);
    const isFixed = !shown.mayEdit || shown.isOther() || holdsMask || Boolean(own?.isBlock);
    const value = own ? (isSwitch ? String(!/^(?:false|off)$/.test(own.words)) : input ? unquoted(own.words) : own.words) : '';
    const wanted = isFixed ? [output] : [field, el('span.quiet', unit), remove, undo];
    if (control.firstChild !== wanted[0]) fill(control, wanted);
    fill(output, own?.isBlock ? 'a block: edit the text' : (own ? value : holds) || '–', ' ', (own || holds) && unit);
    field.setAttribute('placeholder', isMask ? 'hidden' : holds || usual);
    const text = isMask || (made && made !== 'remove' && isSecret && input) ? (made && made !== 'remove' ? Object.values(made)[0] : '') : value;
    // What is the same keeps its cursor; half a quoted word is being typed.
    if (field.value !== text && document.activeElement !== field) field.value = text ?? '';
    remove.hidden = !own || made === 'remove';
    undo.hidden = made === undefined;
    element.classList.toggle('edited', made !== undefined);
    fill(about, [made !== undefined && 'edited, not sent', holdsMask && 'holds a secret: Edit shows it',
      !own && from && ['from the ', from], shown.changed(name), own && 'in the text', usual && `without it: ${usual}`, 'not set'].find(Boolean));
  }

  return { element, draw };
}

/** The sources of a stream: their order, another one, one less. @param {Meaning} meaning @param {Shown} shown */
function sourcesLine(meaning, shown) {
  const { keyword } = meaning;
  const list = el('ol.sources');
  const added = el('input', { id: 'field-urls', placeholder: 'another source, such as udp://239.0.0.1:1234', onkeydown: (event) => { if (keyOf(event) === 'Enter') { event.preventDefault(); add(); } } });
  const adding = el('div.control', added, el('button.small', { onclick: add }, 'Add source'));
  const about = el('p.quiet.about');
  const element = el('div.field.sources-field', { onfocusin: () => shown.explain(meaning, element) }, el('label', { for: 'field-urls' }, 'sources'),
    el('div.control-list', list, shown.mayEdit && adding, about));
  /** What draws each row, while they are edited. @type {((words: string, count: number) => void)[]} */
  let rows = [];

  function add() {
    const words = added.value.trim();
    if (!words) return added.focus();
    added.value = '';
    shown.rewrite((text) => withWords(text, keyword, Infinity, words));
  }

  /** @param {number} at */
  function rowOf(at) {
    const button = (/** @type {string} */ word, /** @type {string} */ what, /** @type {(text: string) => string} */ change) =>
      el('button.small', { 'aria-label': `${what} source ${at + 1}`, title: what, onclick: () => shown.rewrite(change) }, word);
    const field = el('input', { 'aria-label': `Source ${at + 1}`, oninput: () => shown.rewrite((text) => withWords(text, keyword, at, field.value)) });
    const [up, down] = [button('↑', 'Move up', (text) => moved(text, keyword, at, at - 1)), button('↓', 'Move down', (text) => moved(text, keyword, at, at + 1))];
    list.append(el('li.control', field, up, down, button('×', 'Remove', (text) => withWords(text, keyword, at, undefined))));
    return (/** @type {string} */ words, /** @type {number} */ count) => {
      if (document.activeElement !== field) field.value = words;
      [up.disabled, down.disabled] = [at === 0, at === count - 1];
    };
  }

  function draw(/** @type {Directive[]} */ all) {
    const sources = all.filter((each) => each.keyword === keyword);
    const isHidden = !shown.isOpened() && MASK.test(shown.text());
    const isFixed = !shown.mayEdit || shown.isOther() || isHidden || sources.some(({ isBlock }) => isBlock);
    adding.hidden = isFixed;
    about.textContent = shown.mayEdit && isHidden ? 'Press Edit to change the sources: that shows the secrets.' : '';
    if (isFixed) {
      rows = [];
      return fill(list, sources.map(({ words, isBlock }) => el('li', el('output', isBlock ? 'a block: edit the text' : words))));
    }
    if (rows.length > sources.length || !rows.length) {
      const at = [...list.children].findIndex((child) => child.contains(document.activeElement));
      rows = [];
      fill(list);
      setTimeout(() => list.children[Math.min(at, rows.length - 1)]?.querySelector('button')?.focus());
    }
    while (rows.length < sources.length) rows.push(rowOf(rows.length));
    rows.forEach((show, at) => show(sources[at]?.words ?? '', rows.length));
  }

  return { element, draw };
}

/**
 * A directive in a block: `words` are those behind the keyword as they are written, `after` is behind the comment in its line.
 * @typedef {{ keyword: string, words: string, start: number, end: number, after: number, isBlock: boolean }} Directive
 */

/** The directives in the first block of a text. @param {string} text @returns {Directive[]} */
export function directives(text) {
  const found = /** @type {Directive[]} */ ([]);
  /** @type {Directive | undefined} */
  let open;
  let [depth, from] = [0, 0];
  for (const { kind, start, end } of tokens(text)) {
    if (kind === 'comment') continue;
    const isEnd = depth === 1 && kind === 'end';
    if (kind === 'open') depth += 1;
    if (kind === 'close') depth -= 1;
    if (depth === 0 && kind === 'close') break;
    if (depth === 2 && kind === 'open' && open) open.isBlock = true;
    if (open && (isEnd || (depth === 1 && kind === 'close'))) {
      const rest = /^[ \t]*#[^\n]*/.exec(text.slice(end))?.[0].length ?? 0;
      found.push({ ...open, words: text.slice(from, start).trim(), end, after: end + rest });
      open = undefined;
    } else if (depth === 1 && kind === 'keyword') {
      open = { keyword: text.slice(start, end), words: '', start, end, after: end, isBlock: false };
      from = end;
    }
  }
  return found;
}

/**
 * The text in which a directive of a block has these words, where several have this keyword that at a place; a new one is behind
 * the last of its kind. Without words it goes.
 * @param {string} text @param {string} keyword @param {number} at @param {string | undefined} words
 */
export function withWords(text, keyword, at, words) {
  const all = directives(text);
  const alike = all.filter((each) => each.keyword === keyword);
  const one = alike[at];
  const line = words ? `${keyword} ${words};` : `${keyword};`;
  if (one && words !== undefined) return text.slice(0, one.start) + line + text.slice(one.end);
  if (one) {
    const before = text.lastIndexOf('\n', one.start - 1);
    const isAlone = before >= 0 && !text.slice(before, one.start).trim() && /^\s*?(?:\n|$)/.test(text.slice(one.after));
    return isAlone ? text.slice(0, before) + text.slice(one.after) : text.slice(0, one.start) + text.slice(one.end).trimStart();
  }
  if (words === undefined) return text;
  const last = alike.at(-1) ?? all.at(-1);
  if (!last) return text.includes('{') ? text.replace(/\{[ \t]*\n?/, (open) => `${open.trimEnd()}\n  ${line}\n`) : text.replace(/;?\s*$/, ` {\n  ${line}\n}`);
  const isLast = /^[ \t]*\n/.test(text.slice(last.after));
  const indent = /[ \t]*$/.exec(text.slice(0, last.start))?.[0];
  return `${text.slice(0, last.after)}${isLast ? `\n${indent}` : ' '}${line}${text.slice(last.after)}`;
}

/** The text in which two directives with a keyword have changed places, with their comments. @param {string} text @param {string} keyword @param {number} a @param {number} b */
export function moved(text, keyword, a, b) {
  const alike = directives(text).filter((each) => each.keyword === keyword);
  const [first, second] = [alike[Math.min(a, b)], alike[Math.max(a, b)]];
  if (!first || !second) return text;
  return text.slice(0, first.start) + text.slice(second.start, second.after) + text.slice(first.after, second.start) + text.slice(first.start, first.after) + text.slice(second.after);
}


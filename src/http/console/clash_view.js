// Values that were changed here and by somebody else: all three are shown, and one chooses each.

import { el } from './dom.js';
import { textOf } from './path.js';

/**
 * @typedef {import('./review.js').Clash} Clash
 * @typedef {import('./review.js').Question} Question
 * @typedef {import('./review.js').Side} Side
 */

/**
 * The form that asks for each choice. `done` is called after the last one is settled.
 * @param {Clash[]} clashes
 * @param {() => void} done
 */
export function clashView(clashes, done) {
  let number = 0;
  const asked = clashes.map((clash) => ({ clash, names: clash.questions.map(() => `clash-${number++}`) }));
  const settle = () => {
    const given = new FormData(form);
    for (const { clash, names } of asked) {
      clash.settle(names.map((name) => (given.get(name) === 'mine' ? 'mine' : 'theirs')));
    }
    done();
  };
  const form = el('form.clashes', { onsubmit: settle },
    el('p.warning', 'Somebody else has changed the same values or lines since you began. Choose a version of each.'),
    ...asked.flatMap(({ clash, names }) => clash.questions.map((question, at) => ask(question, names[at] ?? ''))),
    el('button.primary', 'Use these choices'));
  return form;
}

/**
 * @param {Question} question
 * @param {string} name
 */
function ask({ what, base, theirs, mine }, name) {
  const option = (/** @type {Side} */ side, /** @type {string} */ words, /** @type {unknown} */ value) =>
    el('label.choice', el('input', { type: 'radio', name, value: side, required: true }), el('span', words), text(value));
  return el('fieldset', el('legend', what),
    el('div.choice', el('span', 'Before'), text(base)),
    option('theirs', 'Theirs', theirs),
    option('mine', 'Yours', mine));
}

/** @param {unknown} value */
function text(value) {
  const shown = textOf(value ?? '');
  return shown ? el('code', shown) : el('em', 'nothing');
}

// Values that were changed here and by somebody else: all three are shown, and one chooses each.

import { el } from './dom.js';
import { textOf } from './path.js';

/** What one chooses from, in words. @type {[import('./review.js').Side, string][]} */
const SIDES = [['theirs', 'Theirs'], ['mine', 'Yours']];

/**
 * The form that asks for each choice. `done` is called after the last one is settled.
 * @param {import('./review.js').Clash[]} clashes
 * @param {() => void} done
 */
export function clashView(clashes, done) {
  const form = el('form.clashes', { onsubmit: settled },
    el('p.warning', 'Somebody else has changed the same values since you began. Choose a version of each.'),
    clashes.map(({ questions }, clash) => questions.map((question, at) => el('fieldset', el('legend', question.what),
      el('div.choice', el('span'), 'Before', text(question.base)),
      SIDES.map(([side, word]) => el('label.choice', el('input', { type: 'radio', name: `${clash} ${at}`, value: side, required: true }),
        word, text(question[side])))))),
    el('button.primary', 'Use these choices'));

  function settled() {
    const given = new FormData(form);
    clashes.forEach(({ questions, settle }, clash) => settle(questions.map((_, at) => /** @type {any} */ (given.get(`${clash} ${at}`)))));
    done();
  }

  return form;
}

/** @param {unknown} value */
function text(value) {
  const shown = textOf(value ?? '');
  return shown ? el('code', shown) : el('em', 'nothing');
}

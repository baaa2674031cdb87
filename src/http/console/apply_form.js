// Why a change is made, and whether it goes back by itself: what is asked before any change.

import { el } from './dom.js';

/** The seconds after which a change goes back, unless another number is given. */
const UNDO = 120;

let number = 0;

export class ApplyForm {
  /**
   * @param {string} word of the button
   * @param {() => void} changed is called when one of the values is another one
   * @param {() => void} submitted
   * @param {...Node} more what stands in front of the buttons
   */
  constructor(word, changed, submitted, ...more) {
    const id = `apply-${number++}`;
    const toggled = () => { this.seconds.disabled = !this.undo.checked; changed(); };
    this.why = el('input', { id: `${id}-why`, maxlength: 500, oninput: changed });
    this.undo = el('input', { type: 'checkbox', id: `${id}-undo`, checked: true, onchange: toggled });
    this.seconds = el('input', { type: 'number', id: `${id}-seconds`, min: 10, max: 86400, value: UNDO, oninput: changed });
    this.button = el('button.primary', word);
    this.buttons = el('div.buttons', this.button);
    this.element = el('form.apply', { onsubmit: submitted },
      el('div.why', el('label', { for: this.why.id }, 'Why'), this.why),
      el('div.undo', this.undo, el('label', { for: this.undo.id }, 'Take it back after'), this.seconds,
        el('label', { for: this.seconds.id }, 's unless it is kept')),
      ...more, this.buttons);
  }

  /** @returns {{ why: string, confirm: number }} seconds; 0 for never */
  get wanted() {
    return { why: this.why.value.trim(), confirm: this.undo.checked ? this.seconds.valueAsNumber || UNDO : 0 };
  }

  clear() {
    this.why.value = '';
    this.undo.checked = true;
    this.seconds.disabled = false;
  }
}

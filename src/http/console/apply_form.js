// Why a change is made, and whether it goes back by itself: what is asked before any change.

import { el } from './dom.js';

/** The seconds after which a change goes back, unless another number is given. */
const UNDO = 120;

export class ApplyForm {
  /**
   * @param {string} word of the button
   * @param {() => void} changed is called when one of the values is another one
   * @param {() => void} submitted
   * @param {...import('./dom.js').Child} more what stands in front of the buttons
   */
  constructor(word, changed, submitted, ...more) {
    this.why = el('input', { maxlength: 500 });
    this.undo = el('input', { type: 'checkbox', checked: true });
    this.seconds = el('input', { type: 'number', min: 10, max: 86400, value: UNDO, 'aria-label': 'Seconds' });
    this.button = el('button.primary', word);
    this.buttons = el('div.buttons', this.button);
    const typed = () => { this.seconds.disabled = !this.undo.checked; changed(); };
    this.element = el('form.apply', { onsubmit: submitted, oninput: typed },
      el('label.why', 'Why', this.why),
      el('div.undo', el('label', this.undo, ' Roll it back after'), this.seconds, 's unless it is kept'),
      more, this.buttons);
  }

  /** @returns {{ why: string, confirm: number }} seconds; 0 for never */
  get wanted() {
    return { why: this.why.value.trim(), confirm: this.undo.checked ? this.seconds.valueAsNumber || UNDO : 0 };
  }

  clear() {
    this.element.reset();
    this.seconds.disabled = false;
  }
}

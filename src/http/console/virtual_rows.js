// A long list of rows of one height, of which only those are in the page that can be seen, with a cursor that keys and clicks
// move.

import { el } from './dom.js';

/** The rows above and below what is seen, so that a short way needs nothing new. */
const SPARE = 8;

export class VirtualRows {
  /** @type {Map<number, HTMLElement>} */
  #drawn = new Map();
  #count = 0;
  #height = 0;
  /** The row with the cursor. */
  at = 0;

  /**
   * @param {HTMLElement} box scrolls, and gets the rows; its style has their height, `--row`, in pixels
   * @param {(index: number) => HTMLElement} draw makes the row
   * @param {() => void} [moved] is called when the cursor is on another row
   */
  constructor(box, draw, moved = () => {}) {
    this.box = box;
    this.draw = draw;
    this.moved = moved;
    this.room = el('div.virtual', { role: 'presentation' });
    box.append(this.room);
    box.addEventListener('click', ({ target }) => {
      const [index] = [...this.#drawn].find(([, row]) => row.contains(/** @type {Node} */ (target))) ?? [];
      if (index !== undefined) this.goTo(index);
    });
    box.addEventListener('scroll', () => this.#show(), { passive: true });
    new ResizeObserver(() => (this.#height === this.#styled ? this.#show() : this.reset())).observe(box);
  }

  get #styled() {
    return parseFloat(getComputedStyle(this.box).getPropertyValue('--row')) || 0;
  }

  /** Draws all rows again. @param {number} [count] of the rows that there are now */
  reset(count = this.#count) {
    this.#count = count;
    this.at = Math.min(this.at, Math.max(0, count - 1));
    this.#height = this.#styled;
    this.room.style.height = `${count * this.#height}px`;
    this.#drawn.clear();
    this.room.replaceChildren();
    this.#show();
  }

  /**
   * Puts the cursor on a row, and scrolls as little as it takes to see it, or to the middle of the box.
   * @param {number} index
   * @param {boolean} [isMiddle]
   */
  goTo(index, isMiddle = false) {
    const height = this.#height;
    this.#drawn.get(this.at)?.classList.remove('at');
    this.at = Math.max(0, Math.min(index, this.#count - 1));
    this.#drawn.get(this.at)?.classList.add('at');
    const top = this.at * height;
    const { scrollTop, clientHeight } = this.box;
    if (isMiddle) this.box.scrollTop = top - (clientHeight - height) / 2;
    else this.box.scrollTop = Math.max(Math.min(scrollTop, top), top + height - clientHeight);
    this.#show();
    this.moved();
  }

  /** True if a key moves the cursor. @param {string} key */
  takes(key) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.#height) - 1);
    /** @type {Record<string, number>} */
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.#count, End: this.#count };
    const step = steps[key];
    if (step) this.goTo(this.at + step);
    return Boolean(step);
  }

  #show() {
    const { scrollTop, clientHeight } = this.box;
    const height = this.#height || Infinity;
    const first = Math.max(0, Math.floor(scrollTop / height) - SPARE);
    const end = Math.min(this.#count, Math.ceil((scrollTop + clientHeight) / height) + SPARE);
    for (const [index, row] of this.#drawn) {
      if (index >= first && index < end) continue;
      row.remove();
      this.#drawn.delete(index);
    }
    // In the order of the list, which is that of reading and of a selection.
    /** @type {HTMLElement | null} */
    let next = null;
    for (let index = end - 1; index >= first; index -= 1) {
      const row = this.#drawn.get(index) ?? this.#made(index);
      if (!row.parentNode) this.room.insertBefore(row, next);
      next = row;
    }
  }

  /** @param {number} index */
  #made(index) {
    const row = this.draw(index);
    row.style.transform = `translateY(${index * this.#height}px)`;
    row.classList.toggle('at', index === this.at);
    this.#drawn.set(index, row);
    return row;
  }
}

// A long list of rows of one height, of which only those are in the page that can be seen.

/** The rows above and below what is seen, so that a short way needs nothing new. */
const SPARE = 8;

export class VirtualRows {
  /** @type {Map<number, HTMLElement>} */
  #drawn = new Map();
  #count = 0;
  #frame = 0;

  /**
   * @param {HTMLElement} box scrolls, and gets the rows
   * @param {number} height of a row, in pixels
   * @param {(index: number) => HTMLElement} draw makes the row
   */
  constructor(box, height, draw) {
    this.box = box;
    this.height = height;
    this.draw = draw;
    this.room = document.createElement('div');
    this.room.setAttribute('role', 'presentation');
    this.room.className = 'virtual';
    box.append(this.room);
    box.addEventListener('scroll', this.#later, { passive: true });
    this.watch = new ResizeObserver(this.#later);
    this.watch.observe(box);
  }

  /** Draws all rows again, of which there are now so many. @param {number} count */
  reset(count) {
    this.#count = count;
    this.room.style.setProperty('height', `${count * this.height}px`);
    this.#drawn.clear();
    this.room.replaceChildren();
    this.#show();
  }

  /** Draws one row again, if it can be seen. @param {number} index */
  refresh(index) {
    const old = this.#drawn.get(index);
    if (!old) return;
    const row = this.#made(index);
    old.replaceWith(row);
    this.#drawn.set(index, row);
  }

  /** The element of a row that is drawn. @param {number} index */
  row(index) {
    return this.#drawn.get(index);
  }

  /**
   * Scrolls as little as it takes to see a row; with `middle` to the middle of the box.
   * @param {number} index
   * @param {{middle?: boolean}} [how]
   */
  scrollTo(index, { middle = false } = {}) {
    const { box, height } = this;
    const top = index * height;
    if (middle) box.scrollTop = top - (box.clientHeight - height) / 2;
    else if (top < box.scrollTop) box.scrollTop = top;
    else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
    this.#show();
  }

  /** The number of rows that fit into the box. */
  get page() {
    return Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1);
  }

  /** How many rows a key goes down; `undefined` for a key that goes nowhere. @param {string} key */
  step(key) {
    /** @type {Record<string, number>} */
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: this.page, PageUp: -this.page, Home: -this.#count, End: this.#count };
    return steps[key];
  }

  leave() {
    this.watch.disconnect();
    this.box.removeEventListener('scroll', this.#later);
    cancelAnimationFrame(this.#frame);
    this.room.remove();
  }

  #later = () => {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#show());
  };

  #show() {
    const { box, height } = this;
    const first = Math.max(0, Math.floor(box.scrollTop / height) - SPARE);
    const last = Math.min(this.#count, Math.ceil((box.scrollTop + box.clientHeight) / height) + SPARE);
    for (const [index, row] of this.#drawn) {
      if (index < first || index >= last) {
        row.remove();
        this.#drawn.delete(index);
      }
    }
    const highest = Math.max(-1, ...this.#drawn.keys());
    /** @type {HTMLElement[]} */
    const above = [];
    /** @type {HTMLElement[]} */
    const below = [];
    for (let index = first; index < last; index += 1) {
      if (this.#drawn.has(index)) continue;
      const row = this.#made(index);
      this.#drawn.set(index, row);
      (index < highest ? above : below).push(row);
    }
    // In the order of the list, which is that of reading and of a selection.
    this.room.prepend(...above);
    this.room.append(...below);
  }

  /** @param {number} index */
  #made(index) {
    const row = this.draw(index);
    row.style.setProperty('transform', `translateY(${index * this.height}px)`);
    return row;
  }
}

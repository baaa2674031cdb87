// What all parts of the page use: elements, counts and times in words, paths, places, and long lists. A value is always a
// text node or an attribute, so no text becomes HTML.

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

/**
 * Makes an element: `el('p.quiet', 'text')`. An attribute whose name begins with `on` is a listener; one that is `false`,
 * `null` or `undefined` is left out, and `true` stands for an empty value. A button with a listener sends no form, a form
 * with a listener is not sent, and a browser completes no field unless it is told to.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag | `${Tag}.${string}`} tag with its classes @param {Attributes | Child} [first] @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, first, ...children) {
  const [name = '', ...classes] = tag.split('.');
  const element = /** @type {HTMLElementTagNameMap[Tag]} */ (document.createElement(name));
  if (classes.length) element.className = classes.join(' ');
  if (typeof first === 'object' && first?.constructor === Object) {
    if (name === 'button' && 'onclick' in first) set(element, { type: 'button' });
    if (name === 'input') set(element, { autocomplete: 'off' });
    set(element, /** @type {Attributes} */ (first));
  } else {
    children.unshift(/** @type {Child} */ (first));
  }
  fill(element, children);
  return element;
}

/** @param {Element} element @param {Attributes} attributes */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), (event) => {
        if (name === 'onsubmit') event.preventDefault();
        value(event);
      });
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

/**
 * Puts other children in the place of all that an element has. What is no value is left out, and a list stands for its items.
 * @param {Element} element @param {...Child} children
 */
export function fill(element, ...children) {
  const shown = children.flat(9).filter((child) => child || child === 0);
  const nodes = shown.map((child) => (child instanceof Node ? child : plain(`${child}`)));
  filled.delete(element);
  element.replaceChildren(...nodes);
}

/** A text with its invisible characters, such as those that turn the order of letters, written out. @param {string} text */
export const plain = (text) => text.replace(/[^\P{C}\n\t]/gu, '\ufffd');

/** For what an element was filled the last time, if that was with `refill`. @type {WeakMap<Element, string>} */
const filled = new WeakMap();

/**
 * Fills an element again if it is to show something else than before: what one uses in it stays.
 * @param {Element} element @param {unknown} shown @param {() => Child} made
 */
export function refill(element, shown, made) {
  const key = JSON.stringify(shown);
  if (filled.get(element) === key) return;
  fill(element, made());
  filled.set(element, key);
}

/** The element of the page with this id. @param {string} id @returns {HTMLElement} */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** The key of an event; none if it is pressed together with Ctrl, Meta or Alt. @param {KeyboardEvent} event */
export const keyOf = ({ key, ctrlKey, metaKey, altKey }) => ctrlKey || metaKey || altKey ? '' : key;

/**
 * What calls an action as soon as it was not called itself for some milliseconds. Nothing is done after the signal.
 * @param {number} pause @param {() => void} action @param {AbortSignal} [signal]
 */
export function later(pause, action, signal) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => signal?.aborted || action(), pause);
  };
}

/** What takes longer than this is told, in milliseconds. */
const LONG = 300;

/**
 * Says in a box that something loads, or what else is done, if it takes long.
 * @template T
 * @param {Element} box @param {Promise<T>} answer @param {string} [words] @returns {Promise<T>}
 */
export function told(box, answer, words = 'Loading …') {
  const timer = setTimeout(() => fill(box, el('span.quiet', { role: 'status' }, words)), LONG);
  return answer.finally(() => clearTimeout(timer));
}

// Times and counts in words

/** The seconds of each unit of a time, the largest first. @type {Record<string, number>} */
export const UNITS = { d: 86400, h: 3600, m: 60, s: 1 };

/** A time as the reader's clock shows it: of today the hour, else the day, too. @param {string} at ISO 8601 */
export function shownTime(at) {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString('en-GB', { dateStyle: isToday ? undefined : 'medium', timeStyle: 'medium' });
}

/** A time as an element. @param {string} at ISO 8601 */
export const timeView = (at) => el('time', { datetime: at }, shownTime(at));

/** A time that is left, as a clock shows it. @param {number} seconds */
export const clockWords = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** A count of things: `1 line`, `2 lines`. @param {number} count @param {string} thing */
export const counted = (count, thing) => `${number(count)} ${thing}${count === 1 ? '' : 's'}`;

/** A count with narrow blanks between its thousands, as French has them. @param {number} count */
export const number = (count) => count.toLocaleString('fr');

/** The first three paths of a change, and how many more it has. @param {readonly string[]} paths @param {number} count of all */
export const firstOf = (paths, count) => paths.slice(0, 3).join(', ') + (count > 3 ? ` and ${count - 3} more` : '');

/** What runs, in words. @param {import('./server.js').Status | null} status */
export function runsWords(status) {
  const { number: last, after } = status?.last_change ?? {};
  if (status?.state.includes('unsaved-update')) return 'an update that is not saved to the file runs';
  return after && after === status?.revisions.running ? `change ${last} runs` : 'the text from before the edit runs';
}

/** A plain value in words. @param {unknown} value */
export function wordOf(value) {
  if (value === undefined || value === null) return '';
  if (value === false) return 'off';
  return value === true ? 'on' : String(value);
}

/** A value of JSON as a text: a text as it is, any other one as JSON. @param {unknown} value */
export const textOf = (value) => typeof value === 'string' ? value : JSON.stringify(value);

// Paths, as the command line and the API write them: `streams."cam.1".urls[0].url`

/** A mask in the place of a secret. */
export const MASK = /<secret:[0-9A-Za-z]{6}>/;

/** The value of a word: without its quotes. @param {string} word */
export const unquoted = (word) => word.replace(/"((?:\\[^]|[^"\\])*)"?/g, (_, inner) => String(inner).replace(/\\(["\\])/g, '$1'));

/** @typedef {string | number} Segment a name, or the place in a list */

/**
 * Several places: the names that match `glob`, the entries of a list in which `key` has a value, or all entries.
 * @typedef {{ glob?: RegExp, key?: string, value?: string }} Several
 */

/** The text of a path. @param {readonly Segment[]} segments */
export function pathOf(segments) {
  return segments
    .map((segment, at) => (typeof segment === 'number' ? `[${segment}]` : (at > 0 ? '.' : '') + nameOf(segment)))
    .join('');
}

/** @param {string} name */
function nameOf(name) {
  const isBare = name !== '' && !/[.[\]="'*]/.test(name);
  return isBare ? name : `"${name.replace(/[\\"]/g, '\\$&')}"`;
}

const PART = /\.?(?:("(?:\\.|[^"\\])*")|\[(-?\d+)\]|\[(?:\*|([^\]=]+)=("(?:\\.|[^"\\])*"|[^\]]*))\]|([^.[\]"]+))/gy;

/** The parts of a path, as conditions have them, too; `undefined` for any other text. @param {string} path */
export const partsOf = (path) => path.replace(PART, '') === '' ? firstParts(path) : undefined;

/** The parts of a path, up to what is none. @param {string} path @returns {(Segment | Several)[]} */
function firstParts(path) {
  return [...path.matchAll(PART)].map(([, quoted, index, key, value, name]) => {
    if (quoted) return unquoted(quoted);
    if (index) return Number(index);
    if (name?.includes('*')) return { glob: globOf(name) };
    return name ?? { key, value: value && unquoted(value) };
  });
}

/** @param {string} name with `*` for any text */
function globOf(name) {
  const parts = name.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

/** The segments of a path, up to where it stands for several places or is none. @param {string} path */
export function segmentsOf(path) {
  const parts = [...firstParts(path), {}];
  return /** @type {Segment[]} */ (parts.slice(0, parts.findIndex((part) => typeof part === 'object')));
}

/** The JSON Pointer (RFC 6901) of a path; of one for several places, that of the place that they lie in. @param {string} path */
export function pointerOf(path) {
  return segmentsOf(path).map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

// Places of the page: `#/streams`, `#/streams/NAME`, `#/templates/NAME`, `#/file`, `#/text@REVISION/L220`, `#/history`, `#/status`

/**
 * A place: the view, the revision behind `@`, what stands behind the next slashes, and the words behind `?`.
 * @typedef {{view: string, revision: string, rest: string[], query: URLSearchParams}} Place
 */

/**
 * Shows a view in `main`, until the signal ends it.
 * @typedef {(main: HTMLElement, state: import('./server.js').State, place: Place, signal: AbortSignal) => void} Show
 */

/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

const PLACE = /^#?\/?([^@/?]*)(?:@([^/?]*))?([^?]*)\??(.*)/s;

/** @param {string} hash such as `#/text@1f/L220` @returns {Place} */
export function parse(hash) {
  const [, view = '', revision = '', rest = '', query = ''] = PLACE.exec(hash) ?? [];
  return { view, revision, rest: rest.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

/** The keys of the blocks with names in the configuration, by the view that lists them. @type {Record<string, string>} */
export const KEYS = { streams: 'streams', lives: 'lives', templates: 'template', plugins: 'plugins' };

/** The place of a stream, or of another block. @param {string} name @param {string} [view] */
export const placeOf = (name, view = 'streams') => `#/${view}/${encodeURIComponent(name)}`;

/** The words of a place or a request, with their `?`; what is empty, false or nothing is left out. @param {Query} [query] */
export function wordsOf(query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  const words = new URLSearchParams(/** @type {[string, string][]} */ (given)).toString();
  return words && `?${words}`;
}

/** Notes where one is now, so that a reload comes back here; nothing is shown again. @param {string} hash */
export const note = (hash) => history.replaceState(null, '', hash);

/** A text without its percent-encoding, if it has one. @param {string} part */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// A long list

/** The rows above and below what is seen, so that a short way needs nothing new. */
const SPARE = 8;

/** Rows of one height, of which only those are in the page that can be seen, with a cursor that keys and clicks move. */
export class VirtualRows {
  /** @type {Map<number, HTMLElement>} */
  #drawn = new Map();
  #count = 0;
  #height = 0;
  /** The row with the cursor. */
  at = 0;

  /**
   * @param {HTMLElement} box scrolls, and gets the rows; its style has their height, `--row`, in pixels
   * @param {(index: number) => HTMLElement} draw makes the row @param {() => void} [moved] is called when the cursor is on another row
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

  /** Changes all rows that are drawn, where they are. @param {(row: HTMLElement, index: number) => void} change */
  each(change) {
    for (const [index, row] of this.#drawn) change(row, index);
  }

  /** Puts the cursor on a row, and scrolls as little as it takes to see it, or to the middle of the box. @param {number} index @param {boolean} [isMiddle] */
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
    let next = /** @type {HTMLElement | null} */ (null);
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

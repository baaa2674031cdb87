// Elements of the page, and what is done after keys. A value is always a text node or an attribute, so no text becomes HTML.

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

/**
 * Makes an element: `el('p.quiet', 'text')`. An attribute whose name begins with `on` is a listener; one that is `false`,
 * `null` or `undefined` is left out, and `true` stands for an empty value. A button with a listener sends no form, a form
 * with a listener is not sent, and a browser completes no field unless it is told to.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag | `${Tag}.${string}`} tag with its classes
 * @param {Attributes | Child} [first]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, first, ...children) {
  const [name = '', ...classes] = tag.split('.');
  const element = /** @type {HTMLElementTagNameMap[Tag]} */ (document.createElement(name));
  if (classes.length) element.className = classes.join(' ');
  if (isAttributes(first)) {
    if (name === 'button' && first.onclick) set(element, { type: 'button' });
    if (name === 'input') set(element, { autocomplete: 'off' });
    set(element, first);
  }
  else children.unshift(first);
  fill(element, children);
  return element;
}

/**
 * Puts other children in the place of all that an element has. What is no value is left out, and a list stands for its items.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  const shown = children.flat(9).filter((child) => child || child === 0);
  element.replaceChildren(.../** @type {(Node | string)[]} */ (shown.map((child) => (child instanceof Node ? child : plain(`${child}`)))));
}

/** A text with its invisible characters, such as those that turn the order of letters, written out. @param {string} text */
export function plain(text) {
  return text.replace(/[^\P{C}\n\t]/gu, '\ufffd');
}

/** For what an element was filled the last time. @type {WeakMap<Element, string>} */
const filled = new WeakMap();

/**
 * Fills an element again if it is to show something else than before: what one uses in it stays.
 * @param {Element} element
 * @param {unknown} shown
 * @param {() => Child} made
 */
export function refill(element, shown, made) {
  const key = JSON.stringify(shown);
  if (filled.get(element) === key) return;
  filled.set(element, key);
  fill(element, made());
}

/** The element of the page with this id. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** The key of an event; none if it is pressed together with Ctrl, Meta or Alt. @param {KeyboardEvent} event */
export function keyOf({ key, ctrlKey, metaKey, altKey }) {
  return ctrlKey || metaKey || altKey ? '' : key;
}

/**
 * What calls an action as soon as it was not called itself for some milliseconds. Nothing is done after the signal.
 * @param {number} pause
 * @param {() => void} action
 * @param {AbortSignal} [signal]
 */
export function later(pause, action, signal) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => signal?.aborted || action(), pause);
  };
}

/** @param {Attributes | Child} value @returns {value is Attributes} */
function isAttributes(value) {
  return typeof value === 'object' && value?.constructor === Object;
}

/** @param {HTMLElement} element @param {Attributes} attributes */
function set(element, attributes) {
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

// Elements of the page. A value is always a text node or an attribute, so no text becomes HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | EventListener>} Attributes */

/**
 * Makes an element: `el('p.quiet', 'text')`. An attribute whose name begins with `on` is a listener; one that is `false`,
 * `null` or `undefined` is left out, and `true` stands for an empty value. A button with a listener sends no form.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag | `${Tag}.${string}`} tag with its classes
 * @param {Attributes | Child} [first]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, first, ...children) {
  const [name = '', ...classes] = tag.split('.');
  const element = /** @type {HTMLElementTagNameMap[Tag]} */ (document.createElement(name));
  if (classes.length > 0) element.className = classes.join(' ');
  if (typeof first !== 'object' || first === null || first instanceof Node) children.unshift(first);
  else {
    set(element, first);
    if (name === 'button' && first.onclick) element.setAttribute('type', 'button');
  }
  element.append(...nodes(children));
  return element;
}

/**
 * Makes an element of a drawing.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS('http://www.w3.org/2000/svg', tag));
  set(element, attributes);
  element.append(...nodes(children));
  return element;
}

/**
 * Puts other children in the place of all that an element has.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/**
 * The element of the page with this id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
}

/**
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  /** @type {(Node | string)[]} */
  const found = [];
  for (const child of children) {
    if (child instanceof Node) found.push(child);
    else if (child !== null && child !== undefined && child !== false) found.push(String(child));
  }
  return found;
}

// Places of the page: `#/streams`, `#/streams/NAME`, `#/text@REVISION/L220`, `#/history`, `#/status`.

/**
 * A place: the view, the revision behind `@`, what stands behind the next slashes, and the words behind `?`.
 * @typedef {{view: string, revision: string | null, rest: string[], query: URLSearchParams}} Place
 */

/**
 * Shows a view in `main`; the function that it returns leaves it.
 * @typedef {(main: HTMLElement, state: import('./state.js').State, place: Place) => () => void} Show
 */

/** The place of a page that was opened without one. */
const FIRST = 'streams';

/**
 * @param {string} hash such as `#/text@1f/L220`
 * @returns {Place}
 */
export function parse(hash) {
  const [path, query = ''] = split(hash.replace(/^#?\/?/, ''), '?');
  const [head = '', ...rest] = path.split('/').map(decoded);
  const [view, revision = null] = split(head, '@');
  return { view: view || FIRST, revision, rest: rest.filter((part) => part !== ''), query: new URLSearchParams(query) };
}

/**
 * The hash of a place.
 * @param {string} view
 * @param {{revision?: string | null, rest?: string[], query?: Record<string, string>}} [parts]
 */
export function hashOf(view, { revision = null, rest = [], query = {} } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const head = revision ? `${view}@${encodeURIComponent(revision)}` : view;
  const path = [head, ...rest.map(encodeURIComponent)].join('/');
  const words = new URLSearchParams(given).toString();
  return words ? `#/${path}?${words}` : `#/${path}`;
}

/**
 * Goes to a place, which becomes one to go back from.
 * @param {string} hash
 */
export function go(hash) {
  location.hash = hash;
}

/**
 * Notes where one is now, so that a reload comes back here; nothing is shown again.
 * @param {string} hash
 */
export function note(hash) {
  history.replaceState(null, '', hash);
}

/**
 * @param {string} text
 * @param {string} sign
 * @returns {string[]}
 */
function split(text, sign) {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** A text without its percent-encoding, if it has one. @param {string} part */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

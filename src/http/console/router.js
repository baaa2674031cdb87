// Places of the page: `#/streams`, `#/streams/NAME`, `#/text@REVISION/L220`, `#/history`, `#/status`.

/**
 * A place: the view, the revision behind `@`, what stands behind the next slashes, and the words behind `?`.
 * @typedef {{view: string, revision: string, rest: string[], query: URLSearchParams}} Place
 */

/**
 * Shows a view in `main`, until the signal ends it.
 * @typedef {(main: HTMLElement, state: import('./state.js').State, place: Place, signal: AbortSignal) => void} Show
 */

/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

const PLACE = /^#?\/?([^@/?]*)(?:@([^/?]*))?([^?]*)\??(.*)/s;

/** @param {string} hash such as `#/text@1f/L220` @returns {Place} */
export function parse(hash) {
  const [, view = '', revision = '', rest = '', query = ''] = PLACE.exec(hash) ?? [];
  return { view, revision, rest: rest.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

/** The place of a stream. @param {string} name */
export function placeOf(name) {
  return `#/streams/${encodeURIComponent(name)}`;
}

/** The words of a place or a request, with their `?`; what is empty, false or nothing is left out. @param {Query} [query] */
export function wordsOf(query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  const words = new URLSearchParams(/** @type {[string, string][]} */ (given)).toString();
  return words && `?${words}`;
}

/** Notes where one is now, so that a reload comes back here; nothing is shown again. @param {string} hash */
export function note(hash) {
  history.replaceState(null, '', hash);
}

/** A text without its percent-encoding, if it has one. @param {string} part */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

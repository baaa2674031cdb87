// Paths as the command line and the API write them (`streams."cam.1".urls[0].url`), and JSON Pointers.

/** @typedef {string | number} Segment a name, or the place in a list */

/**
 * The text of a path.
 * @param {readonly Segment[]} segments
 */
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

const PART = /\.?(?:"((?:\\.|[^"\\])*)"|\[(\d+)\]|([^.[\]="']+))/y;

/**
 * The segments of a path that names one place; `undefined` for any other text.
 * @param {string} path
 * @returns {Segment[] | undefined}
 */
export function segmentsOf(path) {
  /** @type {Segment[]} */
  const segments = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < path.length) {
    const found = PART.exec(path);
    if (!found) return undefined;
    const [, quoted, index, bare] = found;
    if (quoted !== undefined) segments.push(quoted.replace(/\\(.)/g, '$1'));
    else segments.push(index === undefined ? String(bare) : Number(index));
  }
  return segments;
}

/**
 * The JSON Pointer (RFC 6901) of a path.
 * @param {string} path
 */
export function pointerOf(path) {
  const escaped = (segmentsOf(path) ?? [path]).map((part) => String(part).replace(/~/g, '~0').replace(/\//g, '~1'));
  return escaped.map((part) => `/${part}`).join('');
}

/**
 * The value of JSON at the text of a path, `null` where there is none; of a name in a list, the list.
 * @param {unknown} value
 * @param {string} path
 */
export function readAt(value, path) {
  const segments = segmentsOf(path) ?? [];
  const list = segments.findIndex((segment, at) => typeof segment === 'string' && Array.isArray(valueAt(value, segments.slice(0, at))));
  return valueAt(value, list < 0 ? segments : segments.slice(0, list)) ?? null;
}

/** A value of JSON as a text: a text as it is, any other one as JSON. @param {unknown} value */
export function textOf(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * The value of JSON at a path; `undefined` where there is none.
 * @param {unknown} value
 * @param {readonly Segment[]} segments
 * @returns {unknown}
 */
export function valueAt(value, segments) {
  let at = value;
  for (const segment of segments) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = /** @type {Record<string, unknown>} */ (at)[String(segment)];
  }
  return at;
}

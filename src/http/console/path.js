// Paths as the command line and the API write them (`streams."cam.1".urls[0].url`), and JSON Pointers.

import { unquoted } from './words.js';

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
export function partsOf(path) {
  return path.replace(PART, '') === '' ? firstParts(path) : undefined;
}

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

/** A value of JSON as a text: a text as it is, any other one as JSON. @param {unknown} value */
export function textOf(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

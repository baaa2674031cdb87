// The rows of the list of streams, made of the configuration as JSON.

import { UNITS } from './figures.js';

/** @typedef {import('./state.js').Row} Row */

/** @param {any} config @returns {Row[]} */
export const rowsOf = (config) => Object.entries(config?.streams ?? {}).map(([name, stream]) => row(name, stream, config));

/** The values that hold: those of the template that a stream names, where it has none of its own. @param {any} own @param {any} config */
function effective(own, config) {
  const template = config.template?.[own.template];
  if (typeof template !== 'object' || template === null) return own;
  return { ...template, ...own, auth: own.auth?.url === undefined ? { ...own.auth, ...template.auth } : own.auth };
}

/** @param {string} name @param {any} own @param {any} config @returns {Row} */
function row(name, own, config) {
  const json = effective(own, config);
  const urls = Array.isArray(json.urls) ? json.urls : [];
  const first = urls[0]?.url ?? '';
  const shown = {
    name,
    kind: `${json.static ? 'static' : 'on demand'}${json.disabled ? ', disabled' : ''}`,
    source: urls.length > 1 ? `${first} +${urls.length - 1}` : String(first),
    authorization: authorization(json.auth, json.auth?.url === own.auth?.url ? 'own' : 'template'),
    prepush: wordOf(json.prepush),
    archive: archive(json.dvr),
  };
  const sources = urls.map((/** @type {any} */ entry) => entry?.url);
  const words = [name, shown.kind, ...sources, `auth ${shown.authorization}`, shown.archive, json.title, json.comment];
  return { ...shown, json, own, text: words.join('\n').toLowerCase() };
}

/**
 * Whose authorization holds for a stream: its own, that of its template, the global one, none because it is open, or none at all.
 * @param {any} auth
 * @param {'own' | 'template'} named whose it is
 * @returns {'own' | 'template' | 'global' | 'open' | 'none'}
 */
function authorization(auth, named) {
  if (auth?.url === false) return 'open';
  if (auth?.url) return named;
  return auth?.url_global ? 'global' : 'none';
}

/** A plain value in words. @param {unknown} value */
export function wordOf(value) {
  if (value === undefined || value === null) return '';
  if (value === false) return 'off';
  return value === true ? 'on' : String(value);
}

/** The place and the limits of an archive, as the text has them. @param {any} dvr */
function archive(dvr) {
  if (!dvr || typeof dvr !== 'object') return wordOf(dvr);
  const place = dvr.reference ? `@${dvr.reference}` : dvr.root;
  const disk = dvr.disk_limit === undefined ? '' : `${dvr.disk_limit}%`;
  return [place, disk, time(dvr.dvr_limit)].filter(Boolean).join(' ');
}

/** Seconds in the largest unit that divides them. @param {unknown} seconds */
function time(seconds) {
  if (typeof seconds !== 'number') return wordOf(seconds);
  const [unit, length] = Object.entries(UNITS).find(([, each]) => seconds && seconds % each === 0) ?? ['s', 1];
  return `${seconds / length}${unit}`;
}

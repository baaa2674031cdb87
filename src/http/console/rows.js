// The streams as rows: the values that hold, what is on air by the figures of the runtime command, and the filter: words, and
// conditions as `--where` has them (`docs/format.md`, 7), with plain text in the place of regular expressions.

import { UNITS, el, partsOf, pathOf, unquoted, wordOf } from './base.js';

/** @typedef {import('./server.js').State} State */
/** @typedef {import('./server.js').Figures} Figures */

/**
 * A row of the list: what it shows as words, `own` as the API has it (secrets masked), `json` with the values that hold, `from`
 * where those come from that are not its own, `file` if it is included, and `text`, the words that the filter looks in, in lower
 * case.
 * @typedef {{name: string, state: string, bitrate: string, viewers: string, kind: string, source: string,
 *   authorization: 'own' | 'template' | 'global' | 'open' | 'none', prepush: string, archive: string, file: string, json: any,
 *   own: any, from: Record<string, string>, text: string}} Row
 */

/** The rows of a configuration. @param {any} config @param {ReadonlyMap<string, { file: string }>} [included] @returns {Row[]} */
export const rowsOf = (config, included) =>
  Object.entries(config?.streams ?? {}).map(([name, stream]) => rowOf(name, stream, config, included?.get(pathOf(['streams', name]))?.file));

/**
 * The values that hold, as `read --effective` has them, and where those come from that are not its own: `template NAME` or
 * `global`.
 * @param {any} own @param {any} config @returns {{ json: any, from: Record<string, string> }}
 */
export function effective(own, config) {
  const json = { ...own };
  const from = /** @type {Record<string, string>} */ ({});
  const take = (/** @type {string} */ key, /** @type {any} */ value, /** @type {string} */ origin) => {
    json[key] = value;
    from[key] = origin;
  };
  const { url_global: backend, ...auth } = own.auth ?? {};
  const hasAuth = Object.keys(auth).length > 0;
  for (const [key, value] of Object.entries(Object(config?.template?.[own.template]))) {
    if (key === 'auth' ? !hasAuth : own[key] === undefined) take(key, value, `template ${own.template}`);
  }
  if (!hasAuth && !from.auth && backend) take('auth', { url: backend }, 'global');
  if (json.cluster_key === undefined && own.cluster_key_global) take('cluster_key', own.cluster_key_global, 'global');
  return { json, from };
}

/** The template that a value is from; `undefined` if it is from elsewhere. @param {string} origin */
export const templateOf = (origin) => /^template (.*)/s.exec(origin)?.[1];

/** The kind of a stream in words. @param {any} stream the values that hold */
export const kindOf = (stream) => (stream.static ? 'static' : 'on demand') + (stream.disabled ? ', disabled' : '');

/** @param {string} name @param {any} own @param {any} config @param {string} [file] @returns {Row} */
function rowOf(name, own, config, file = '') {
  const { json, from } = effective(own, config);
  const urls = Array.isArray(json.urls) ? json.urls : [];
  const first = urls[0]?.url ?? '';
  const shown = {
    name,
    ...{ state: '', bitrate: '', viewers: '' },
    kind: kindOf(json),
    source: urls.length > 1 ? `${first} +${urls.length - 1}` : String(first),
    authorization: whoseOf(json.auth, from.auth),
    prepush: wordOf(json.prepush),
    archive: archive(json.dvr),
    file,
  };
  const sources = urls.map((/** @type {any} */ entry) => entry?.url);
  const words = [name, shown.kind, ...sources, `auth ${shown.authorization}`, shown.archive, json.title, json.comment, file];
  return { ...shown, json, own, from, text: words.join('\n').toLowerCase() };
}

/** Whose authorization holds for a stream; none because it is open, or none at all. @param {any} auth @param {string} [origin] @returns {Row['authorization']} */
function whoseOf(auth, origin = 'own') {
  if (auth?.url === false) return 'open';
  return auth?.url ? /** @type {Row['authorization']} */ (origin.split(' ')[0]) : 'none';
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

/** @typedef {import('./base.js').Segment | import('./base.js').Several} Part */

/** @typedef {(entry: any) => boolean} Condition */

const QUOTED = String.raw`"(?:\\.|[^"\\])*"`;

const PATH = String.raw`(?:${QUOTED}|\[[^\]]*\]|[^"[\]=!~\s:/?])+`;

/** A word, also one that is not written to its end. */
const WORD = String.raw`(?:${QUOTED}?|\[[^\]]*\]?|[^\s"[])+`;

/** The path, the operator outside quotes and brackets, and the value. */
const CONDITION = new RegExp(String.raw`^(${PATH})(?:\s*(=~|!=|=|~)\s*(.*)|\s+(exists|missing))$`, 's');

/** A condition, whose value is one word, or a word. */
const TERM = new RegExp(String.raw`${PATH}(?:\s*(?:=~|!=|=|~)\s*(?:${WORD})?|\s+(?:exists|missing)(?!\S))|${WORD}`, 'gs');

/**
 * What a text in the field of the filter means: the test of a row, and what is wrong with the text.
 * @param {string} text @returns {{test: (row: Row) => boolean, fault: string}}
 */
export function filterOf(text) {
  const conditions = /** @type {Condition[]} */ ([]);
  const words = /** @type {string[]} */ ([]);
  let fault = '';
  for (const term of text.match(TERM) ?? []) {
    const found = conditionOf(term);
    if (typeof found === 'function') conditions.push(found);
    else if (found) fault = found;
    else words.push(unquoted(term).toLowerCase());
  }
  /** @param {Row} row */
  const test = (row) => words.every((word) => row.text.includes(word) || row.state === word) && conditions.every((holds) => holds(row.json));
  return { test, fault };
}

/** The conditions that a text in the field of the filter has; `undefined` if it has something else, too. @param {string} text */
export function whereOf(text) {
  const terms = text.match(TERM) ?? [];
  return terms.every((term) => typeof conditionOf(term) === 'function') ? [...terms] : undefined;
}

/** The condition that a text is, what is wrong with it, or `null` for a word. @param {string} text @returns {Condition | string | null} */
export function conditionOf(text) {
  const [, written = '', sign, wanted = '', word] = CONDITION.exec(text.trim()) ?? [];
  const path = partsOf(written);
  if (!path?.length) return null;
  if (sign === '=~') return '`=~` works only on the command line; `~` finds plain text';
  if (sign === '~' && !wanted) return 'there is no text behind `~`';
  const test = word ? testOf(word === 'exists' ? '!=' : '=', 'null') : testOf(sign, wanted);
  return (entry) => any(ownOf(entry, path), path, test);
}

/**
 * True if any value at a path meets a test; names behind a list go through the list.
 * @param {any} value @param {Part[]} path @param {(value: any) => boolean} test @returns {boolean}
 */
function any(value, path, test) {
  const [first, ...rest] = path;
  const { glob, key, value: wanted } = /** @type {import('./base.js').Several} */ (Object(first));
  const isEach = typeof first === 'object' && !glob;
  if (Array.isArray(value)) {
    if (typeof first === 'number') return any(value.at(first), rest, test);
    const found = key ? value.filter((entry) => String(entry?.[key]) === wanted) : value;
    return value.length ? found.some((entry) => any(entry, isEach ? rest : path, test)) : test(undefined);
  }
  if (first === undefined) return test(value);
  const isObject = typeof value === 'object' && value !== null && !isEach;
  const names = glob && isObject ? Object.keys(value).filter((name) => glob.test(name)) : [];
  if (typeof first === 'string' && isObject) names.push(first);
  return names.length ? names.some((name) => any(value[name], rest, test)) : test(undefined);
}

/** The entry without the global backend, which is not its own, unless the path asks for that. @param {any} entry @param {Part[]} path */
function ownOf(entry, path) {
  if (path[0] !== 'auth' || path[1] === 'url_global' || !entry?.auth?.url_global) return entry;
  const { url_global: _, ...auth } = entry.auth;
  return { auth: Object.keys(auth).length ? auth : undefined };
}

/** @param {string | undefined} operator @param {string} wanted @returns {(value: any) => boolean} */
function testOf(operator, wanted) {
  const isThere = (/** @type {any} */ value) => value !== undefined && value !== null;
  if (operator === '~') {
    const texts = [wanted, unquoted(wanted) || wanted];
    return (value) => isThere(value) && typeof value !== 'object' && texts.some((text) => String(value).includes(text));
  }
  const equals = (/** @type {any} */ value) => (wanted === 'null' ? !isThere(value) : isThere(value) && isMeant(value, wanted));
  return operator === '=' ? equals : (value) => !equals(value);
}

/** True if a text stands for a value, as `--set` would read it or to the letter. @param {any} value @param {string} text */
function isMeant(value, text) {
  if (typeof value === 'string') return value === text || value === unquoted(text);
  if (typeof value === 'object') return false;
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return String(value) === text || (value === false && text === 'off') || (count !== undefined && value === Number(count) * (UNITS[unit] ?? 0));
}

// What is on air

/** The time between two looks at the figures, and without a runtime command, in milliseconds. */
const LOOK = 5000;
const SELDOM = 60_000;

/** The figures that are kept for the lines of the streams. */
const KEPT = 200_000;

/** Follows the figures of the streams until the signal. @param {State} state @param {AbortSignal} signal */
export async function watchFigures(state, signal) {
  while (!signal.aborted) {
    const begun = performance.now();
    if (!document.hidden) await state.api.get('runtime', {}, { signal }).then(({ body }) => takeFigures(state, body.runtime)).catch(() => {});
    // On a slow line most of the time is left to others.
    const pause = Math.max(state.figures.isKnown ? LOOK : SELDOM, 10 * (performance.now() - begun));
    await new Promise((done) => { setTimeout(done, pause); });
  }
}

/** @param {State} state @param {any} runtime */
function takeFigures(state, { server, streams, errors }) {
  const count = (/** @type {unknown} */ value) => typeof value === 'number' && value >= 0 ? value : undefined;
  const ofStreams = Object.entries(Object(streams)).filter(([, value]) => typeof value === 'object' && value)
    .map(([name, { state: word, bitrate, viewers }]) => [name, { state: word, bitrate: count(bitrate), viewers: count(viewers) }]);
  const now = { at: Date.now(), streams: Object.fromEntries(ofStreams) };
  const isKnown = Boolean(server.runtime_cmd);
  // What was known last stays, with its age. A command may print errors beside its figures.
  if (errors?.length && !ofStreams.length) return state.set({ figures: { ...state.figures, isKnown, fault: errors[0] } });
  const kept = [...state.figures.samples, now];
  // The line reaches back to the start of the page: of more than are kept, every other one stays.
  const samples = kept.length * ofStreams.length > KEPT ? kept.filter((_, at) => (kept.length - at) % 2) : kept;
  state.set({ figures: { ...now, isKnown, fault: '', samples } });
}

/** The states of a stream, the worst first, how each is coloured, and what it means. @type {Record<string, [string, string]>} */
export const STATES = {
  stopped: ['bad', 'nothing comes from its sources'],
  starting: ['warn', 'it connects to its sources'],
  unknown: ['', 'the runtime command does not tell of it'],
  running: ['', 'it is on air'],
  disabled: ['off', 'switched off in the configuration'],
};

/** The figures of a stream; what is disabled, the configuration says. @param {Figures} figures @param {string} name @param {any} stream */
export function airOf({ isKnown, streams }, name, stream) {
  const own = Object.hasOwn(streams, name) ? streams[name] : undefined;
  const told = own?.state && Object.hasOwn(STATES, own.state) ? own.state : 'unknown';
  const state = stream?.disabled ? 'disabled' : isKnown ? told : '';
  return { state, bitrate: own?.bitrate, viewers: own?.viewers };
}

/** A state as a word; what is normal is quiet. @param {string} state */
export function stateView(state) {
  const [kind = '', meaning] = STATES[state] ?? [];
  return state && el('span', { class: kind ? `state ${kind}` : 'quiet', title: meaning }, state);
}

/** Bits a second with a unit. @param {number | undefined} bits */
export function bitrateWords(bits) {
  if (typeof bits !== 'number') return '';
  return bits < 999_500 ? `${Math.round(bits / 1e3)} kbit/s` : `${(bits / 1e6).toFixed(bits < 1e8 ? 1 : 0)} Mbit/s`;
}

/** How to get figures, or why there are none. @param {Figures} figures */
export function missingWords({ isKnown, fault, at }) {
  if (fault) return `What is on air is not known${at ? ` since ${new Date(at).toLocaleTimeString('en-GB')}` : ''}: ${fault}.`;
  return isKnown ? '' : 'What is on air is not known; “mediactl serve --runtime-cmd CMD” shows state, bitrate and viewers.';
}

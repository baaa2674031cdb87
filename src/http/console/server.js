// The server as the page knows it: its API, used with the login of the page and never with one that the browser keeps; the
// state that all parts share; and what follows the server: one request waits for the next status.

import { watchFigures } from './rows.js';
import { wordsOf } from './base.js';

/** The longest time for an answer, in milliseconds; one for the next status takes almost a minute. */
const LONGEST = 75_000;

/** The name of a `Problem` without an answer. */
export const NO_CONNECTION = 'no-connection';

/**
 * One fault of a request. `base`, `theirs` and `mine` are the three values of a conflict.
 * @typedef {{message: string, pointer?: string, hint?: string, line?: number, column?: number, base?: unknown,
 *   theirs?: unknown, mine?: unknown}} Fault
 */

/** A request that failed: the answer of the server (RFC 9457), or no answer at all. */
export class Problem extends Error {
  /**
   * @param {number} status 0 if there was no answer @param {string} name the last part of `type`, such as `conflict`
   * @param {string} message @param {Fault[]} [details]
   * @param {number} [retryAfter] the seconds after which the request may be sent again
   */
  constructor(status, name, message, details = [], retryAfter = 0) {
    super(message);
    this.name = name;
    this.status = status;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/**
 * An answer: `body` is JSON that was read, or a text, whose lines had this `end`; `revision` is that of the configuration, empty
 * where the answer has none, and `line` that of an entry in the file.
 * @typedef {{status: number, body: any, end: string, etag: string | null, revision: string, pending: string | null, notes: string[],
 *   line: number, retryAfter: number}} Answer
 */

/** @typedef {import('./base.js').Query} Query */
/** @typedef {{signal?: AbortSignal, ifNoneMatch?: string | null}} Options */

export class Api {
  #authorization = '';
  /** @type {Map<string, Answer>} */
  #kept = new Map();
  /** Ends all requests that are under way when somebody logs out. */
  #session = new AbortController();

  /** @param {string} base the path of the API, relative to the page, without a slash at its end */
  constructor(base) {
    this.base = base;
  }

  /** The login of all requests from now on. Returns what makes it that of before again. @param {string} login @param {string} password */
  logIn(login, password) {
    const before = this.#authorization;
    const bytes = new TextEncoder().encode(`${login}:${password}`);
    this.#authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
    return () => { this.#authorization = before; };
  }

  /** Forgets the password and all that was answered. What was asked for gets no answer any more. */
  logOut() {
    this.#session.abort();
    this.#session = new AbortController();
    this.#authorization = '';
    this.forget();
  }

  /** Forgets all that was answered. */
  forget() {
    this.#kept.clear();
  }

  /** Reads; 304 is an answer without a body. @param {string} path such as `read_config` @param {Query} [query] @param {Options} [options] */
  get(path, query, options) {
    return this.#send(path, query, undefined, options);
  }

  /**
   * Reads what is large and seldom changes: the last answer is kept, and given again while the server says that it still
   * holds, or without a question where it has no ETag.
   * @param {string} path @param {Query} [query] @returns {Promise<Answer>}
   */
  async getKept(path, query) {
    const key = path + wordsOf(query);
    const known = this.#kept.get(key);
    if (known && !known.etag) return known;
    const answer = await this.get(path, query, { ifNoneMatch: known?.etag });
    if (known && answer.status === 304) return known;
    this.#kept.set(key, answer);
    return answer;
  }

  /** Sends a text, or JSON if the body is no string. @param {string} path @param {Query} [query] @param {unknown} [body] @param {Options} [options] */
  post(path, query, body = '', options = {}) {
    return this.#send(path, query, body, options);
  }

  /**
   * The answer; it never comes if the signal of the request ends it, or a log-out.
   * @param {string} path @param {Query} [query] @param {unknown} [body] of a request that changes or checks something
   * @param {Options} [options] @returns {Promise<Answer>}
   */
  async #send(path, query, body, { signal = this.#session.signal, ifNoneMatch } = {}) {
    const ended = AbortSignal.any([this.#session.signal, signal]);
    const isText = typeof body === 'string';
    const headers = Object.entries({
      Authorization: this.#authorization,
      'Content-Type': isText ? 'text/plain' : body && 'application/json',
      'If-None-Match': ifNoneMatch,
    }).filter(([, value]) => value);
    const answered = await fetch(`${this.base}/${path}${wordsOf(query)}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: /** @type {[string, string][]} */ (headers),
      body: isText ? body : JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.any([ended, AbortSignal.timeout(LONGEST)]),
    }).then(async (response) => ({ response, text: await response.text() })).catch(() => undefined);
    if (ended.aborted) return new Promise(() => {});
    if (!answered) throw new Problem(0, NO_CONNECTION, 'The server does not answer. Is it running?');
    return answerOf(answered);
  }
}

/** @param {{ response: Response, text: string }} answered @returns {Answer} */
function answerOf({ response: { headers, ok, status }, text }) {
  const isJson = text && headers.get('Content-Type')?.includes('json');
  // A text area has no carriage returns, and the server puts them back.
  const body = isJson ? JSON.parse(text) : text.replace(/\r\n?/g, '\n');
  const retryAfter = Number(headers.get('Retry-After'));
  if (!ok && status !== 304) {
    const { type = 'unknown', detail, title, errors } = isJson ? body : { detail: text };
    throw new Problem(status, type.split(':').pop(), detail || title || `${status}`, errors, retryAfter);
  }
  const etag = headers.get('ETag');
  return {
    status,
    body,
    end: text.includes('\r\n') ? '\r\n' : '\n',
    etag,
    revision: /[0-9a-f]{32}/.exec(etag ?? '')?.[0] ?? '',
    pending: headers.get('Mediactl-Pending'),
    notes: (headers.get('Mediactl-Note') ?? '').split(/; ?/).filter(Boolean),
    line: Number(headers.get('Mediactl-Line')),
    retryAfter,
  };
}

/** What went wrong as a problem; also a fault of this page. @param {unknown} error */
export const asProblem = (error) => error instanceof Problem ? error : new Problem(0, '', String(error));

/**
 * What accepts guards in the options of a change. Of the streams that a change deletes, the number is accepted: any.
 * @param {readonly string[]} guards
 */
export function accepting(guards) {
  const accept = guards.filter((name) => name !== 'would-delete-streams');
  return { accept, max_delete: accept.length < guards.length ? 2 ** 32 - 1 : null };
}

/**
 * The pending change, as `GET status` tells it.
 * @typedef {{id: string, by: string, operation: string, message: string | null, seconds_left: number, paths: string[],
 *   path_count: number}} Pending
 */

/**
 * `GET status`; `docs/server.md` says what each member means.
 * @typedef {{role: 'edit' | 'view', login: string, revisions: {running: string, file: string}, state: string[],
 *   pending: Pending | null, last_change: any, last_reload: any, counts: Record<string, number>,
 *   versions: Record<string, string>}} Status
 */

/** @typedef {'login' | 'role' | 'status' | 'isConnected' | 'needsPassword' | 'deadline' | 'applied' | 'newLogin' | 'removed' | 'config' | 'whole' | 'included' | 'figures' | 'revision' | 'draft' | 'isSending'} FactName */

/**
 * The conditions of a configuration, by their name in `Status`: a word, how it is coloured, and what it means.
 * @type {Record<string, [string, string, string]>}
 */
const CONDITIONS = {
  'unsaved-update': ['unsaved update', 'warn', 'What runs is not saved to the file.'],
  'edited-by-hand': ['file edited by hand', 'warn', 'The file was edited by hand; what runs is the older text.'],
  broken: ['file has errors', 'bad', 'The file has errors and can’t be loaded.'],
};

/** The conditions of a status. @param {Status | null} status @returns {string[][]} */
export function conditionsOf(status) {
  const names = status?.state ?? [];
  // An edit by hand that can't be loaded is told once.
  return names.filter((name) => name !== 'edited-by-hand' || !names.includes('broken')).map((name) => CONDITIONS[name] ?? [name, 'warn', name]);
}

/**
 * An entry of an included file, with its line there.
 * @typedef {{ file: string, line: number, text: string }} IncludedEntry
 * @typedef {{ entries: Map<string, IncludedEntry>, fault: string }} Included
 */

/**
 * The figures of the runtime command; `at` is when they were read (as `Date.now()`), and `samples` are those since the page was
 * opened.
 * @typedef {Record<string, { state?: string, bitrate?: number, viewers?: number }>} OnAir
 * @typedef {{ isKnown: boolean, fault: string, at: number, streams: OnAir, samples: { at: number, streams: OnAir }[] }} Figures
 */

/** What all parts of the page know. */
export class State {
  login = '';
  /** `null` while nobody is logged in. @type {'edit' | 'view' | null} */
  role = null;
  /** @type {Status | null} */
  status = null;
  /** False while the server does not answer. */
  isConnected = true;
  /** True after the server refused the password that the page has. */
  needsPassword = false;
  /** The time (of `performance.now()`) at which the pending change goes back. @type {number | null} */
  deadline = null;
  /** The ID of the pending change that was made in this tab. @type {string | null} */
  applied = null;
  /** The name that this change gives to the login; empty if it stays. */
  newLogin = '';
  /** The block that was removed here last, and the id of that change. @type {{ path: string, id: string } | null} */
  removed = null;
  /** The running configuration as JSON, secrets masked. @type {any} */
  config = null;
  /** The same with what the included files add. @type {any} */
  whole = null;
  /** The entries of included files by their paths, and why they can't be read. @type {Included} */
  included = { entries: new Map(), fault: '' };
  /** What is on air. @type {Figures} */
  figures = { isKnown: false, fault: '', at: 0, streams: {}, samples: [] };
  /** The revision of `config`. @type {string | null} */
  revision = null;
  /** The edit that is not sent. @type {import('./review.js').Draft | null} */
  draft = null;
  /** True while its change is being made. */
  isSending = false;
  /** What is called after a change of which facts. @type {Set<[FactName[], () => void]>} */
  #listeners = new Set();

  /** @param {Api} api @param {(text: string) => void} announce says something in the live region */
  constructor(api, announce) {
    this.api = api;
    this.announce = announce;
  }

  get mayEdit() { return this.role === 'edit'; }

  /** Sets facts, and tells the listeners of those that differ. @param {Partial<Pick<State, FactName>>} facts */
  set(facts) {
    const changed = /** @type {FactName[]} */ (Object.keys(facts)).filter((name) => this[name] !== facts[name]);
    Object.assign(this, facts);
    for (const [names, listener] of [...this.#listeners]) if (names.some((name) => changed.includes(name))) listener();
  }

  /** Forgets all that is known: somebody logged out. */
  reset() {
    this.set(new State(this.api, this.announce));
  }

  /** Calls a listener after each change of one of these facts, until the signal ends it. @param {FactName[]} names @param {() => void} listener @param {AbortSignal} [signal] */
  subscribe(names, listener, signal) {
    const item = /** @type {[FactName[], () => void]} */ ([names, listener]);
    this.#listeners.add(item);
    signal?.addEventListener('abort', () => this.#listeners.delete(item));
  }

  /** Leaves the edit, if there is one, and if the person says so; false if it stays. */
  mayLeave() {
    const { draft, isSending } = this;
    if (isSending || (draft && !window.confirm(`The edit of ${draft.label} is not sent. Discard it?`))) return false;
    this.set({ draft: null });
    return true;
  }
}

/** The ETag of the status that is known. @type {string | null} */
let etag = null;

/** Reads both at once: the first look at the server. @param {State} state */
export async function load(state) {
  const [answer] = await Promise.all([state.api.get('status'), loadConfig(state)]);
  await take(state, answer);
}

/** Takes a status over, and reads the configuration that it tells of. @param {State} state @param {Answer} answer */
async function take(state, answer) {
  // A server that was started again has other masks.
  const isBack = !state.isConnected;
  if (isBack) state.api.forget();
  if (answer.status !== 304) takeStatus(state, answer.body);
  if (isBack || state.status?.revisions.running !== state.revision) await loadConfig(state);
  etag = answer.etag;
}

/**
 * Tells of a change that was made here. While it is still being made, the server counts the time for that, too, so a
 * status may tell of more time than was asked for.
 * @param {State} state @param {string | null} applied its ID, if it has to be confirmed
 * @param {number} seconds after which it goes back @param {string} [newLogin] the name that it gives to the login
 */
export function tellApplied(state, applied, seconds, newLogin = '') {
  state.set({ applied, deadline: applied ? deadlineIn(seconds) : null, newLogin });
  state.announce(`Applied. ${applied ? `It goes back in ${seconds} seconds unless you keep it.` : ''}`);
}

const deadlineIn = (/** @type {number} */ seconds) => performance.now() + seconds * 1000;

/** Takes a status over into the state. A change that is known never gets more time. @param {State} state @param {Status} status */
function takeStatus(state, status) {
  const { pending, role, login } = status;
  const isKnown = pending && [state.applied, state.status?.pending?.id].includes(pending.id);
  const most = (isKnown && state.deadline) || Infinity;
  const deadline = pending && Math.min(most, deadlineIn(pending.seconds_left));
  state.set({ status, role, login, deadline, isConnected: true });
}

/** Reads the configuration that runs; a file that cannot be read as one leaves what was known. @param {State} state */
async function loadConfig(state) {
  const { body, revision } = await state.api.getKept('read_config', { secrets: 'masked' });
  if (body === state.config) return;
  state.set({ config: body, whole: body, included: { entries: new Map(), fault: '' }, revision });
  // It is shown without them first.
  if (body.include) readIncluded(state, body);
}

/** Adds what the included files have, each entry with its place. @param {State} state @param {any} config */
async function readIncluded(state, config) {
  const query = { secrets: 'masked' };
  try {
    const [{ body: whole }, { body: files }, { entriesOf }] = await Promise.all([
      state.api.get('read_config', { with_includes: true, ...query }), state.api.get('included', query), import('./editor.js')]);
    const entries = new Map(Object.values(files).flat().flatMap(entriesOf));
    if (state.config === config) state.set({ whole, included: { entries, fault: '' } });
  } catch (error) {
    const { details: [{ message } = asProblem(error)] } = asProblem(error);
    state.set({ included: { entries: new Map(), fault: message } });
  }
}

/** The time that a request for the status waits, in seconds; the server allows 60. */
const WAIT = 55;

/** The pause after a failure, in milliseconds, which doubles with each one, and the longest. */
const PAUSE = 500;
const LONGEST_PAUSE = 8000;

let following = new AbortController();

/** Follows no server any more. */
export const stop = () => following.abort();

/** Follows the server from now on. @param {State} state */
export async function follow(state) {
  stop();
  following = new AbortController();
  const { signal } = following;
  watchFigures(state, signal);
  addEventListener('online', () => follow(state), { signal });
  let failure = PAUSE;
  while (!signal.aborted) {
    let pause = failure;
    try {
      const answer = await state.api.get('status', { wait: etag && WAIT }, { ifNoneMatch: etag, signal });
      await take(state, answer);
      failure = PAUSE;
      pause = answer.retryAfter * 1000;
    } catch (error) {
      const { status, name } = asProblem(error);
      if (status === 401) return state.set({ needsPassword: true });
      if (name === NO_CONNECTION) state.set({ isConnected: false });
      etag = null;
      failure = Math.min(failure * 2, LONGEST_PAUSE);
    }
    await new Promise((done) => { setTimeout(done, pause); });
  }
}

// The API of this server, as the page uses it: with the login of the page, and never with one that the browser keeps.

import { wordsOf } from './router.js';

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
   * @param {number} status 0 if there was no answer
   * @param {string} name the last part of `type`, such as `conflict`
   * @param {string} message
   * @param {Fault[]} [details]
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
 * An answer: `body` is JSON that was read, or a text; `revision` is that of the configuration, empty where the answer has
 * none, and `line` that of an entry in the file.
 * @typedef {{status: number, body: any, etag: string | null, revision: string, pending: string | null, notes: string[],
 *   line: number, retryAfter: number}} Answer
 */

/** What is empty, false or nothing is left out. @typedef {import('./router.js').Query} Query */

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

  /**
   * The login and the password of all requests from now on. Returns what makes it those of before again.
   * @param {string} login
   * @param {string} password
   */
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

  /**
   * Reads; 304 is an answer without a body.
   * @param {string} path behind the prefix, such as `read_config`
   * @param {Query} [query]
   * @param {Options} [options]
   */
  get(path, query, options) {
    return this.#send(path, query, undefined, options);
  }

  /**
   * Reads what is large and seldom changes: the last answer is kept, and given again while the server says that it still
   * holds, or without a question where it has no ETag.
   * @param {string} path
   * @param {Query} [query]
   * @returns {Promise<Answer>}
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

  /**
   * Sends a text, or JSON if the body is no string.
   * @param {string} path
   * @param {Query} [query]
   * @param {unknown} [body]
   * @param {Options} [options]
   */
  post(path, query, body = '', options = {}) {
    return this.#send(path, query, body, options);
  }

  /**
   * The answer; it never comes if the signal of the request ends it, or a log-out.
   * @param {string} path
   * @param {Query} [query]
   * @param {unknown} [body] of a request that changes or checks something
   * @param {Options} [options]
   * @returns {Promise<Answer>}
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
    etag,
    revision: /[0-9a-f]{32}/.exec(etag ?? '')?.[0] ?? '',
    pending: headers.get('Mediactl-Pending'),
    notes: (headers.get('Mediactl-Note') ?? '').split(/; ?/).filter(Boolean),
    line: Number(headers.get('Mediactl-Line')),
    retryAfter,
  };
}

/** What went wrong as a problem; also a fault of this page. @param {unknown} error */
export function asProblem(error) {
  return error instanceof Problem ? error : new Problem(0, '', String(error));
}

/**
 * What accepts guards in the options of a change. Of the streams that a change deletes, the number is accepted: any.
 * @param {readonly string[]} guards
 */
export function accepting(guards) {
  const accept = guards.filter((name) => name !== 'would-delete-streams');
  return { accept, max_delete: accept.length < guards.length ? 2 ** 32 - 1 : null };
}

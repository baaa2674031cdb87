// The API of this server, as the page uses it: with the login of the page, and never with one that the browser keeps.

/** The longest time for an answer, in milliseconds; a check and a reload command may take some seconds. */
const LONGEST = 60_000;

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
   * @param {Headers} [headers]
   */
  constructor(status, name, message, details = [], headers = new Headers()) {
    super(message);
    this.status = status;
    this.name = name;
    this.details = details;
    this.headers = headers;
  }

  /** The seconds after which the request may be sent again. */
  get retryAfter() {
    return Number(this.headers.get('Retry-After')) || 0;
  }
}

/**
 * An answer: `body` is JSON that was read, or a text.
 * @typedef {{status: number, body: any, etag: string | null, pending: string | null, notes: string[],
 *   line: number | null, headers: Headers}} Answer
 */

/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

/** @typedef {{signal?: AbortSignal, ifNoneMatch?: string | null, ifMatch?: string | null, longest?: number}} Options */

export class Api {
  /** @type {string | null} */
  #authorization = null;
  /** @type {Map<string, Answer>} */
  #kept = new Map();

  /** @param {string} base the path of the API, relative to the page, without a slash at its end */
  constructor(base) {
    this.base = base;
  }

  /**
   * The login and the password of all requests from now on.
   * @param {string} login
   * @param {string} password
   */
  logIn(login, password) {
    const bytes = new TextEncoder().encode(`${login}:${password}`);
    this.#authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
  }

  /** Forgets the password and all that was answered. */
  logOut() {
    this.#authorization = null;
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
  get(path, query = {}, options = {}) {
    return this.#send('GET', path, query, null, options);
  }

  /**
   * Reads what is large and seldom changes: the last answer is kept, and given again while the server says that it still
   * holds.
   * @param {string} path
   * @param {Query} [query]
   * @returns {Promise<Answer>}
   */
  async getKept(path, query = {}) {
    const key = target(path, query);
    const known = this.#kept.get(key);
    const answer = await this.get(path, query, { ifNoneMatch: known?.etag });
    if (answer.status === 304 && known) return known;
    if (answer.etag) this.#kept.set(key, answer);
    return answer;
  }

  /**
   * Sends a text, or JSON if the body is no string.
   * @param {string} path
   * @param {Query} [query]
   * @param {unknown} [body]
   * @param {Options} [options]
   */
  post(path, query = {}, body = null, options = {}) {
    return this.#send('POST', path, query, body, options);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {Query} query
   * @param {unknown} body
   * @param {Options} options
   * @returns {Promise<Answer>}
   */
  async #send(method, path, query, body, options) {
    const signals = [AbortSignal.timeout(options.longest ?? LONGEST)];
    if (options.signal) signals.push(options.signal);
    /** @type {Response} */
    let response;
    let text;
    try {
      response = await fetch(`${this.base}/${target(path, query)}`, {
        method,
        headers: this.#headers(body, options),
        body: body === null ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
        credentials: 'omit',
        cache: 'no-store',
        signal: AbortSignal.any(signals),
      });
      text = await response.text();
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new Problem(0, NO_CONNECTION, 'The server does not answer.');
    }
    return this.#answer(response, text);
  }

  /**
   * @param {unknown} body
   * @param {Options} options
   */
  #headers(body, { ifNoneMatch, ifMatch }) {
    /** @type {Record<string, string>} */
    const headers = {};
    if (this.#authorization) headers.Authorization = this.#authorization;
    if (body !== null) headers['Content-Type'] = typeof body === 'string' ? 'text/plain' : 'application/json';
    if (ifNoneMatch) headers['If-None-Match'] = ifNoneMatch;
    if (ifMatch) headers['If-Match'] = ifMatch;
    return headers;
  }

  /**
   * @param {Response} response
   * @param {string} text
   * @returns {Answer}
   */
  #answer(response, text) {
    const { headers, status } = response;
    const isJson = headers.get('Content-Type')?.includes('json') ?? false;
    const body = isJson && text ? JSON.parse(text) : text;
    if (!response.ok && status !== 304) throw problem(status, body, headers);
    return {
      status,
      body,
      etag: headers.get('ETag'),
      pending: headers.get('Mediactl-Pending'),
      notes: (headers.get('Mediactl-Note') ?? '').split(/; ?/).filter(Boolean),
      line: Number(headers.get('Mediactl-Line')) || null,
      headers,
    };
  }
}

/** The revision that an ETag names, which a proxy may have made a weak one; empty for none. @param {string | null} etag */
export function revisionOf(etag) {
  return /^(?:W\/)?"([0-9a-f]+)-/.exec(etag ?? '')?.[1] ?? '';
}

/**
 * The ETag of a revision.
 * @param {string} revision
 * @param {import('./state.js').Status['versions']} versions
 */
export function tagOf(revision, { mediactl }) {
  return `"${revision}-${mediactl}"`;
}

/** What went wrong, in words. @param {unknown} error */
export function messageOf(error) {
  return error instanceof Problem ? error.message : String(error);
}

/**
 * @param {string} path
 * @param {Query} query
 */
function target(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== false);
  const words = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return words ? `${path}?${words}` : path;
}

/**
 * @param {number} status
 * @param {any} body
 * @param {Headers} headers
 */
function problem(status, body, headers) {
  if (!body || typeof body !== 'object') return new Problem(status, 'unknown', String(body || status), [], headers);
  const name = String(body.type ?? '').split(':').pop() || 'unknown';
  const details = Array.isArray(body.errors) ? body.errors : [];
  return new Problem(status, name, String(body.detail ?? body.title ?? status), details, headers);
}

// What all parts of the page know: who is logged in, how the configuration is, and its streams.

/** @typedef {import('./api.js').Api} Api */
/** @typedef {import('./api.js').Problem} Problem */

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

/**
 * A row of the list of streams: what it shows as words, `own` as the API has it (secrets masked), `json` with the values of its template, and `text`, the words
 * that the filter looks in, in lower case.
 * @typedef {{name: string, kind: string, source: string, authorization: 'own' | 'template' | 'global' | 'open' | 'none',
 *   prepush: string, archive: string, json: any, own: any, text: string}} Row
 */

/** @typedef {'login' | 'role' | 'status' | 'isConnected' | 'needsPassword' | 'deadline' | 'applied' | 'newLogin' | 'config' | 'rows' | 'revision' | 'draft' | 'isSending'} FactName */

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
  return (status?.state ?? []).map((name) => CONDITIONS[name] ?? [name, 'warn', name]);
}

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
  /** The running configuration as JSON, secrets masked. @type {any} */
  config = null;
  /** @type {Row[]} */
  rows = [];
  /** The revision of `config`. @type {string | null} */
  revision = null;
  /** The edit that is not sent. @type {import('./draft.js').Draft | null} */
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

  /**
   * Calls a listener after each change of one of these facts, until the signal ends it.
   * @param {FactName[]} names
   * @param {() => void} listener
   * @param {AbortSignal} [signal]
   */
  subscribe(names, listener, signal) {
    /** @type {[FactName[], () => void]} */
    const item = [names, listener];
    this.#listeners.add(item);
    signal?.addEventListener('abort', () => this.#listeners.delete(item));
  }
}

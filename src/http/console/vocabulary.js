// What the directives mean: the documentation that `openapi.json` has of each property (`x-mediactl`).

/**
 * A directive or a value.
 * @typedef {object} Meaning
 * @property {string} name of the member in JSON
 * @property {string} keyword
 * @property {string} description
 * @property {string} form how it is written
 * @property {string} unit
 * @property {string} usual the value without it
 * @property {string} example
 * @property {boolean} isSecret
 * @property {Input | undefined} input how a form asks for it; `undefined` for what is no plain value
 */

/** @typedef {{ kind: 'switch' | 'number' | 'word', off: boolean, minimum: number | undefined }} Input */

/** The schema of the block with each keyword. @type {Record<string, string>} */
const SCHEMAS = { '': 'Configuration', stream: 'Stream', ondemand: 'Stream', live: 'Live', plugin: 'Plugin' };
const OTHERS = ['template', 'source', 'file', 'vod'];

/** The groups of entries by the keyword of their blocks. @type {Record<string, string>} */
export const GROUPS = { stream: 'streams', ondemand: 'streams', live: 'lives', plugin: 'plugins' };

export class Vocabulary {
  /** @type {Map<string, Map<string, Meaning>>} */
  #scopes = new Map();

  /** @param {any} openapi */
  constructor(openapi) {
    const schemas = openapi?.components?.schemas ?? {};
    for (const [block, schema] of Object.entries(SCHEMAS)) this.#scopes.set(block, meanings(schemas[schema]));
    for (const block of OTHERS) this.#scopes.set(block, meanings(schemas.Stream));
  }

  /**
   * The meaning of a keyword in a block.
   * @param {readonly string[]} blocks
   * @param {string} keyword
   * @returns {Meaning | undefined}
   */
  find(blocks, keyword) {
    const scope = this.#scopes.get(blocks.at(-1) ?? '');
    return scope && [...scope.values()].find((meaning) => meaning.keyword === keyword);
  }

  /** The plain values of a block, in the order of the document. @param {string} block @returns {Meaning[]} */
  fields(block) {
    return [...(this.#scopes.get(block) ?? new Map()).values()].filter(({ input }) => input);
  }
}

/** @type {Promise<Vocabulary> | undefined} */
let known;

/** What the directives mean; it is read once. @param {import('./state.js').State} state */
export function vocabularyOf(state) {
  known ??= state.api.get('openapi.json').then(({ body }) => new Vocabulary(body)).catch((error) => {
    known = undefined;
    throw error;
  });
  return known;
}

/** @param {any} schema @returns {Map<string, Meaning>} */
function meanings(schema) {
  /** @type {Map<string, Meaning>} */
  const found = new Map();
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    const told = property['x-mediactl'] ?? {};
    if (property.readOnly || !told.keyword) continue;
    found.set(name, {
      name,
      keyword: told.keyword,
      description: property.description ?? '',
      form: told.text ?? '',
      unit: told.unit ?? '',
      usual: told.default ?? '',
      example: told.example ?? '',
      isSecret: told.secret === true,
      input: inputOf(property),
    });
  }
  return found;
}

/** @param {any} property @returns {Input | undefined} */
function inputOf(property) {
  const forms = property.anyOf ?? [property];
  const types = new Set(forms.flatMap((/** @type {any} */ form) => form.type ?? []));
  const minimum = forms.find((/** @type {any} */ form) => form.type === 'integer')?.minimum;
  const off = forms.some((/** @type {any} */ form) => form.const === false);
  if (types.has('array') || types.has('object') || forms.some((/** @type {any} */ form) => form.$ref)) return undefined;
  if (types.has('string')) return { kind: 'word', off, minimum };
  if (types.has('integer')) return { kind: 'number', off, minimum };
  return types.has('boolean') ? { kind: 'switch', off, minimum } : undefined;
}

// What the directives mean: the documentation that `openapi.json` has of each property (`x-mediactl`).

/**
 * A directive or a value: `name` of the member in JSON, `form` is how it is written, `usual` the value without it, and `input`
 * the type of a plain value, `undefined` for any other.
 * @typedef {{ name: string, keyword: string, description: string, form: string, unit: string, usual: string, example: string,
 *   isSecret: boolean, input: 'string' | 'integer' | 'boolean' | undefined }} Meaning
 */

/**
 * The meaning of a keyword in blocks, and the plain values of a block.
 * @typedef {{ find: (blocks: readonly string[], keyword: string) => Meaning | undefined, fields: (block: string) => Meaning[] }} Vocabulary
 */

/** The schema of the block with each keyword. @type {Record<string, string>} */
const SCHEMAS = { '': 'Configuration', live: 'Live', plugin: 'Plugin', stream: 'Stream', ondemand: 'Stream', template: 'Stream', source: 'Stream', file: 'Stream', vod: 'Stream' };

/** The groups of entries by the keyword of their blocks. @type {Record<string, string>} */
export const GROUPS = { stream: 'streams', ondemand: 'streams', live: 'lives', plugin: 'plugins' };

/** What the directives mean; it is read once. @param {import('./state.js').State} state @returns {Promise<Vocabulary>} */
export async function vocabularyOf({ api }) {
  const { body } = await api.getKept('openapi.json');
  const meanings = (/** @type {string} */ block) =>
    Object.entries(body.components.schemas[SCHEMAS[block] ?? '']?.properties ?? {}).flatMap(meaning);
  return {
    find: (blocks, keyword) => meanings(blocks.at(-1) ?? '').find((each) => each.keyword === keyword),
    fields: (block) => meanings(block).filter(({ input }) => input),
  };
}

/** @param {[string, any]} property @returns {Meaning | []} */
function meaning([name, { 'x-mediactl': told, description, readOnly, type, anyOf = [] }]) {
  if (readOnly || !told?.keyword) return [];
  const { keyword, text = '', unit = '', default: usual = '', example = '', secret: isSecret } = told;
  const types = [type, ...anyOf.map((/** @type {any} */ form) => form.type)].flat();
  const input = /** @type {const} */ (['string', 'integer', 'boolean']).find((each) => types.includes(each));
  return { name, keyword, description, form: plain(text), unit, usual: plain(usual), example, isSecret, input };
}

const plain = (/** @type {string} */ text) => text.replaceAll('`', '');

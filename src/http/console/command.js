// The `mediactl` command with the effect of an edit, to copy. It holds no secret: which values are secrets, the server says
// with the masks in its answer.

import { segmentsOf } from './path.js';
import { MASK } from './words.js';

/**
 * @typedef {import('./draft.js').Draft} Draft
 * @typedef {{ keys: string[], before?: unknown, after?: unknown }} Changed a value that differs, masked
 */

/** The prefix that servers have unless they are told another one. */
const PREFIX = 'media/api';

/**
 * @param {string} base the prefix of the API
 * @param {Draft} draft
 * @param {import('./review.js').Wanted} wanted
 * @param {readonly string[]} diff its lines, masked
 * @param {readonly Changed[]} values
 */
export function commandOf(base, draft, { why, confirm, accepted }, diff, values) {
  const names = accepted.filter((name) => name !== 'would-delete-streams');
  const how = [confirm && `--confirm ${confirm}s`, names.length && `--accept ${names.join()}`, why && `--message=${quoted(why)}`].filter(Boolean).join(' ');
  const program = `mediactl --url ${quoted(location.origin)}${base === PREFIX ? '' : ` --api-prefix=${quoted(base)}`}`;
  const assigned = draft.kind === 'values' ? draft.assignments.map((made) => optionOf(made, values)) : [undefined];
  if (assigned.every(Boolean)) return [`${program} modify --yes`, ...assigned, how].filter(Boolean).join(' \\\n  ');
  if (draft.kind === 'values' || diff.some((line) => MASK.test(line))) {
    return `# The change is beside a secret, which is not shown here. Make it in the editor that this opens:\n${program} edit ${how}`;
  }
  return `cat > change.diff <<'END OF CHANGE'\n${diff.join('\n')}\nEND OF CHANGE\nVISUAL='patch -s -i change.diff' ${program} edit --yes ${how}`;
}

/**
 * The option of an assignment: without a value it asks for one. `undefined` if only the editor can make it without a secret.
 * @param {import('./draft.js').Assignment} made
 * @param {readonly Changed[]} values
 */
function optionOf({ path, value }, values) {
  // What a path finds an entry by, or what stands in a name, may be a secret.
  if (/[=@]/.test(path)) return undefined;
  if (value === 'remove') return `--unset ${quoted(path)}`;
  const changed = values.filter(({ keys }) => isAt(path, keys));
  const [kind = '', text = ''] = Object.entries(value)[0] ?? [];
  if (kind === 'replace') return MASK.test(JSON.stringify(changed)) ? undefined : `--replace ${quoted(path)} ${quoted(text)}`;
  const isShown = changed.length > 0 && !changed.some(({ after }) => MASK.test(JSON.stringify(after ?? null)));
  return isShown ? `${kind === 'text' ? '--set-string' : '--set'} ${quoted(`${path}=${text}`)}` : `--set ${quoted(path)}`;
}

/** True if one leads to the other. A path can leave places in lists out. @param {string} path @param {readonly string[]} keys */
function isAt(path, keys) {
  const [own, others] = [segmentsOf(path), keys].map((each) => each.map(String).filter((name) => !/^\d+$/.test(name)));
  return (own ?? []).every((name, at) => at >= (others?.length ?? 0) || name === others?.[at]);
}

/** A word of a shell. @param {string} text */
function quoted(text) {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

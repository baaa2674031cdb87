// The `mediactl` command with the effect of an edit, to copy. It holds no secret: which values are secrets, the server says
// with the masks in its answer.

import { MASK, segmentsOf } from './base.js';
import { accepting } from './server.js';

/** @typedef {{ keys: string[], before?: unknown, after?: unknown }} Changed a value that differs, masked */

/** The most lines of a command. */
const MOST_LINES = 20;

/** The prefix that servers have unless they are told another one. */
const PREFIX = 'media/api';

/**
 * @param {string} base the prefix of the API @param {import('./review.js').Draft} draft @param {import('./review.js').Wanted} wanted
 * @param {readonly string[]} diff its lines, masked @param {readonly Changed[]} values
 */
export function commandOf(base, draft, { why, confirm, accepted }, diff, values) {
  const names = accepting(accepted).accept;
  const how = [confirm && `--confirm ${confirm}s`, names.length && `--accept ${names.join()}`, why && `--message=${quoted(why)}`].filter(Boolean).join(' ');
  const program = `mediactl --url ${quoted(location.origin)}${base === PREFIX ? '' : ` --api-prefix=${quoted(base)}`}`;
  if (draft.kind === 'operation' && draft.command.length) {
    // A source with a secret is masked in the lines.
    const words = draft.command.filter((word) => !word.includes('://') || diff.some((line) => line.includes(word)));
    const lacks = words.length < draft.command.length ? '# Its source holds a secret, which is not shown here: add it behind the name.\n' : '';
    // `check --fix` takes no options of a change.
    const options = words[0] === 'check' ? '' : how;
    return `${lacks}${words[0] === 'modify' ? 'echo {} | ' : ''}${program} ${[...words.map(quoted), options].filter(Boolean).join(' ')}`;
  }
  const { pattern, assignments: [first] = [] } = draft.kind === 'values' ? draft : {};
  if (pattern && !pattern.where && draft.kind === 'values' && draft.assignments.length > MOST_LINES) {
    return `# ${draft.assignments.length} streams: no condition of the filter finds these alone. Filter the list, such as by title~north,\n`
      + `# mark all, and prepare it again: the command is then ${program} modify --where CONDITION …`;
  }
  const assigned = draft.kind !== 'values' ? [undefined] : pattern?.where && first
    ? [...pattern.where.map((condition) => `--where ${quoted(condition)}`), optionOf({ ...first, path: pattern.path }, values)]
    : draft.assignments.map((made) => optionOf(made, values));
  if (assigned.every(Boolean)) return [`${program} modify --yes`, ...assigned, how].filter(Boolean).join(' \\\n  ');
  if (draft.kind === 'values' || diff.some((line) => MASK.test(line))) {
    return `# The change is beside a secret, which is not shown here. Make it in the editor that this opens:\n${program} edit ${how}`;
  }
  return `cat > change.diff <<'END OF CHANGE'\n${diff.join('\n')}\nEND OF CHANGE\nVISUAL='patch -s -i change.diff' ${program} edit --yes ${how}`;
}

/**
 * The option of an assignment: without a value it asks for one. `undefined` if only the editor can make it without a secret.
 * @param {import('./review.js').Assignment} made @param {readonly Changed[]} values
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
const quoted = (text) => /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

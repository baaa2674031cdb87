// The `mediactl` command with the same effect as the edits: for the shell, without a secret.

import { MASK } from './words.js';
import { diffLines } from './diff.js';
/**
 * @typedef {import('./drafts.js').Assignment} Assignment
 * @typedef {object} Wanted
 * @property {string} url of the server
 * @property {string} [prefix] of its API, without slashes at its ends
 * @property {readonly string[]} [accepted] names of guards
 * @property {string} why
 * @property {number} confirm seconds until it goes back; 0 for never
 * @property {string} diff of the change, masked; empty while the server has not answered
 * @property {any} sent the request of the edits, with its secrets masked
 */

/** The prefix that `mediactl` takes by itself. */
const PREFIX = 'media/api';

/**
 * A word as a shell reads it back.
 * @param {string} text
 */
export function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

/**
 * The command for edits. Assignments are options of `modify`; texts are the diff, put in by `edit`. What was typed stands in
 * it only where the server shows it without a mask.
 * @param {Wanted} wanted
 */
export function commandOf({ url, prefix = PREFIX, why, confirm, accepted = [], diff, sent }) {
  if (!diff) return '# The command is shown here as soon as the server has computed the difference.';
  const options = [
    confirm > 0 && `--confirm ${confirm}s`,
    accepted.length > 0 && `--accept ${accepted.join()}`,
    why && `--message${why.startsWith('-') ? '=' : ' '}${quoted(why)}`,
  ].filter(Boolean).map((option) => ` ${option}`).join('');
  const program = `mediactl --url ${quoted(url)}${prefix === PREFIX ? '' : ` --api-prefix=${quoted(prefix)}`}`;
  const given = sent.modify?.edits.assignments.assignments.map(optionOf);
  const isHidden = given?.some((/** @type {string} */ option) => /^--replace.*<secret/.test(option));
  if (given && !isHidden) return [`${program} modify --yes`, ...given, ...(options ? [options.slice(1)] : [])].join(' \\\n  ');
  if (isHidden || hasMaskAtChange(diff)) {
    return ['# A line of the change, or one beside it, holds a secret, which is not shown here.', '# Make the change in the editor that this opens:',
      `${program} edit${options}`].join('\n');
  }
  return [
    `cat > change.diff <<'END OF CHANGE'`,
    diff.replace(/\n$/, ''),
    'END OF CHANGE',
    `VISUAL='patch -s -i change.diff' ${program} edit --yes${options}`,
  ].join('\n');
}

/**
 * True if `patch` would have to find a line with a mask: another reader of the text has other masks. Where a hunk begins and
 * ends, `patch` does without all lines but the one beside the change.
 * @param {string} diff
 */
function hasMaskAtChange(diff) {
  const lines = diffLines(diff);
  const isChanged = (/** @type {number} */ at) => ['added', 'removed'].includes(lines[at]?.kind ?? 'hunk');
  const comes = (/** @type {number} */ at, /** @type {number} */ step) => {
    for (let next = at + step; lines[next] && lines[next]?.kind !== 'hunk'; next += step) if (isChanged(next)) return true;
    return false;
  };
  return lines.some(({ text }, at) => MASK.test(text)
    && (isChanged(at) || isChanged(at - 1) || isChanged(at + 1) || (comes(at, 1) && comes(at, -1))));
}

/**
 * Without a value, which was a secret, the command asks for it.
 * @param {Assignment} assignment
 */
function optionOf({ path, value }) {
  if (value === 'remove') return `--unset ${quoted(path)}`;
  if ('replace' in value) return `--replace ${quoted(path)} ${quoted(value.replace)}`;
  const [[kind, text]] = Object.entries(value);
  if (MASK.test(text)) return `--set ${quoted(path)}`;
  return `${kind === 'text' ? '--set-string' : '--set'} ${quoted(`${path}=${text}`)}`;
}

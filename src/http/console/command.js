// The `mediactl` command with the same effect as the edits: for the shell, without a secret.

import { MASK } from './words.js';
import { diffLines } from './diff.js';
import { assignmentsOf } from './drafts.js';
import { shownIn } from './kept.js';

/**
 * @typedef {import('./drafts.js').Draft} Draft
 * @typedef {import('./drafts.js').Assignment} Assignment
 * @typedef {object} Wanted
 * @property {string} url of the server
 * @property {string} [prefix] of its API, without slashes at its ends
 * @property {readonly string[]} [accepted] names of guards
 * @property {string} why
 * @property {number} confirm seconds until it goes back; 0 for never
 * @property {string} diff of the change, masked; empty while the server has not answered
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
 * @param {readonly Draft[]} drafts
 * @param {Wanted} wanted
 */
export function commandOf(drafts, { url, prefix = PREFIX, why, confirm, accepted = [], diff }) {
  if (!diff) return '# The command is shown here as soon as the server has computed the difference.';
  const options = [
    ...(confirm > 0 ? ['--confirm', `${confirm}s`] : []),
    ...(accepted.length ? ['--accept', accepted.join()] : []),
    ...(why ? [`--message${why.startsWith('-') ? '=' : ' '}${quoted(why)}`] : []),
  ];
  const server = `--url ${quoted(url)}${prefix === PREFIX ? '' : ` --api-prefix=${quoted(prefix)}`}`;
  const [program, ending] = [`mediactl ${server}`, options.map((option) => ` ${option}`).join('')];
  const isShown = shownIn(diff);
  const assignments = assignmentsOf(drafts);
  const isHidden = assignments.some((made) => typeof made.value === 'object' && 'replace' in made.value && !isShown(made));
  if (!isHidden && drafts.every(({ kind }) => kind === 'values')) {
    const given = assignments.map((made) => optionOf(made, isShown(made)));
    return `${program} modify --yes${given.map((option) => ` \\\n  ${option}`).join('')}${ending && ` \\\n ${ending}`}`;
  }
  if (isHidden || hasMaskAtChange(diff)) {
    return ['# A line of the change, or one beside it, holds a secret, which is not shown here.', '# Make the change in the editor that this opens:',
      `${program} edit${ending}`].join('\n');
  }
  return [
    `cat > change.diff <<'END OF CHANGE'`,
    diff.replace(/\n$/, ''),
    'END OF CHANGE',
    `VISUAL='patch -s -i change.diff' ${program} edit --yes${ending}`,
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
 * @param {Assignment} assignment
 * @param {boolean} isShown false if its value may be a secret: without a value the command asks for it
 */
function optionOf({ path, value }, isShown) {
  if (value === 'remove') return `--unset ${quoted(path)}`;
  if ('replace' in value) return `--replace ${quoted(path)} ${quoted(value.replace)}`;
  const text = 'typed' in value ? value.typed : value.text;
  if (!isShown || MASK.test(text)) return `--set ${quoted(path)}`;
  return `${'typed' in value ? '--set' : '--set-string'} ${quoted(`${path}=${text}`)}`;
}

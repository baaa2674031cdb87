// The `mediactl` command with the same effect as the edits: for the shell, without a secret.

import { MASK } from './words.js';
import { isSecretName, withoutSecret } from './secret_words.js';
import { segmentsOf } from './path.js';

/**
 * @typedef {import('./drafts.js').Draft} Draft
 * @typedef {import('./drafts.js').Assignment} Assignment
 * @typedef {object} Wanted
 * @property {string} url of the server
 * @property {string} why
 * @property {number} confirm seconds until it goes back; 0 for never
 * @property {string} diff of the change, masked
 */

/**
 * A word as a shell reads it back.
 * @param {string} text
 */
export function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

/**
 * The command for edits. Assignments are options of `modify`; texts are the diff, put in by `edit`.
 * @param {readonly Draft[]} drafts
 * @param {Wanted} wanted
 */
export function commandOf(drafts, { url, why, confirm, diff }) {
  const options = [
    ...(confirm > 0 ? ['--confirm', `${confirm}s`] : []),
    ...(why ? ['--message', quoted(why)] : []),
  ];
  const [program, ending] = [`mediactl --url ${quoted(url)}`, options.map((option) => ` ${option}`).join('')];
  if (drafts.every((draft) => draft.kind === 'values')) {
    const given = drafts.flatMap((draft) => draft.assignments.map(optionOf));
    return `${program} modify --yes${given.map((option) => ` \\\n  ${option}`).join('')}${ending && ` \\\n ${ending}`}`;
  }
  const hasMask = diff.split('\n').some((line) => line.startsWith('+') && MASK.test(line));
  return [
    ...(hasMask ? ['# Put the secrets in the place of the masks in the lines that begin with `+`.'] : []),
    `cat > change.diff <<'END OF CHANGE'`,
    diff.replace(/\n$/, ''),
    'END OF CHANGE',
    `EDITOR='patch -s -i change.diff' ${program} edit --yes${ending}`,
  ].join('\n');
}

/**
 * @param {Assignment} assignment
 */
function optionOf({ path, value }) {
  if (value === 'remove') return `--unset ${quoted(path)}`;
  if ('replace' in value) return `--replace ${quoted(path)} ${quoted(value.replace)}`;
  const text = 'typed' in value ? value.typed : value.text;
  const name = String(segmentsOf(path)?.findLast((segment) => typeof segment === 'string') ?? path);
  // Without a value the command asks for it.
  if (isSecretName(name) || withoutSecret(text, name) !== text || MASK.test(text)) return `--set ${quoted(path)}`;
  return `${'typed' in value ? '--set' : '--set-string'} ${quoted(`${path}=${text}`)}`;
}

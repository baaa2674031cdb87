import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { commandOf, quoted } from '../../src/http/console/command.js';

const DIFF = '@@ -1,2 +1,4 @@\n-url rtsp://10.0.3.1/x;\n+prepush 5;\n+title 5;\n+url rtsp://10.0.4.1/x;\n';
const WANTED = { url: 'http://127.0.0.1:8090', why: "it's late", confirm: 120, diff: DIFF, sent: {} };

test('a shell reads back what was quoted', () => {
  for (const word of ['', 'a b', "it's", '$HOME `x` "y" \\', 'a\nb', '<img src=x onerror=alert(1)>', '~', '*', '!x', '-n']) {
    assert.equal(execFileSync('sh', ['-c', `printf %s ${quoted(word)}`], { encoding: 'utf8' }), word);
  }
});

/** What the server says was sent. @param {import('../../src/http/console/drafts.js').Assignment[]} assignments */
const sent = (...assignments) => ({ modify: { edits: { assignments: { assignments } } } });

test('assignments are options of modify; a secret is asked for', () => {
  const command = commandOf({ ...WANTED, sent: sent(
    { path: 'streams."a.b".prepush', value: { typed: '5' } },
    { path: 'streams.b.dvr', value: 'remove' },
    { path: 'streams.c.title', value: { text: '5' } },
    { path: 'cluster_key', value: { text: '<secret:ab12cd>' } },
    { path: 'streams.c.urls[0].url', value: { replace: 's/10.0.3./10.0.4./' } },
  ) });
  assert.equal(command, `mediactl --url http://127.0.0.1:8090 modify --yes \\
  --set 'streams."a.b".prepush=5' \\
  --unset streams.b.dvr \\
  --set-string streams.c.title=5 \\
  --set cluster_key \\
  --replace 'streams.c.urls[0].url' s/10.0.3./10.0.4./ \\
  --confirm 120s --message 'it'\\''s late'`);
});

test('accepted guards, the prefix of the API, and a reason that begins as an option are in the command', () => {
  const removed = sent({ path: 'streams.b.dvr', value: 'remove' });
  const wanted = { ...WANTED, sent: removed, confirm: 0, why: '-5 degrees', prefix: 'other/v1', accepted: ['would-remove-credentials', 'near-miss'] };
  assert.equal(commandOf(wanted), `mediactl --url http://127.0.0.1:8090 --api-prefix=other/v1 modify --yes \\
  --unset streams.b.dvr \\
  --accept would-remove-credentials,near-miss --message='-5 degrees'`);
  assert.doesNotMatch(commandOf({ ...WANTED, sent: removed, prefix: 'media/api', accepted: [] }), /prefix|accept/);
});

test('a text that is replaced with a secret is replaced in the editor, and without an answer there is no command', () => {
  const replaced = sent({ path: 'streams.a.urls.url', value: { replace: 's/<secret:ab12cd>/<secret:ab12cd>/' } });
  const command = commandOf({ ...WANTED, why: '', sent: replaced });
  assert.match(command, /^# A line .*secret[^]*\nmediactl --url \S+ edit --confirm 120s$/);
  assert.match(commandOf({ ...WANTED, diff: '', sent: undefined }), /^# The command is shown here/);
});

test('texts are the diff, unless `patch` would have to find a mask', () => {
  const given = (/** @type {string} */ diff) => commandOf({ ...WANTED, why: '', diff, sent: { entries: {} } });
  const command = given('@@ -1,3 +1,3 @@\n u <secret:ab12cd>;\n x;\n-a;\n+b;\n');
  assert.match(command, /cat > change\.diff <<'END OF CHANGE'\n@@ -1,3 \+1,3 @@/);
  assert.match(command, /VISUAL='patch -s -i change\.diff' mediactl --url \S+ edit --yes --confirm 120s$/);
  for (const diff of ['-a;\n+b <secret:ab12cd>;\n', '-a <secret:ab12cd>;\n+b;\n', ' u <secret:ab12cd>;\n-a;\n+b;\n',
    '-a;\n x;\n u <secret:ab12cd>;\n x;\n-a;\n']) {
    assert.match(given(`@@ -1 +1 @@\n${diff}`), /^# A line [^]*\nmediactl --url \S+ edit --confirm 120s$/);
  }
});

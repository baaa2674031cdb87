import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { commandOf, quoted } from '../../src/http/console/command.js';

const DIFF = '@@ -1,2 +1,4 @@\n-url rtsp://10.0.3.1/x;\n+prepush 5;\n+title 5;\n+url rtsp://10.0.4.1/x;\n';
const WANTED = { url: 'http://127.0.0.1:8090', why: "it's late", confirm: 120, diff: DIFF };

test('a shell reads back what was quoted', () => {
  for (const word of ['', 'a b', "it's", '$HOME `x` "y" \\', 'a\nb', '<img src=x onerror=alert(1)>', '~', '*', '!x', '-n']) {
    assert.equal(execFileSync('sh', ['-c', `printf %s ${quoted(word)}`], { encoding: 'utf8' }), word);
  }
});

test('assignments are options of modify; a secret is asked for', () => {
  const command = commandOf([{ kind: 'values', id: 'x', label: 'x', base: 'r', assignments: [
    { path: 'streams."a.b".prepush', value: { typed: '5' } },
    { path: 'streams.b.dvr', value: 'remove' },
    { path: 'streams.c.title', value: { text: '5' } },
    { path: 'cluster_key', value: { text: 'hunter2' } },
    { path: 'streams.c.urls[0].url', value: { replace: 's/10.0.3./10.0.4./' } },
  ] }], WANTED);
  assert.equal(command, `mediactl --url http://127.0.0.1:8090 modify --yes \\
  --set 'streams."a.b".prepush=5' \\
  --unset streams.b.dvr \\
  --set-string streams.c.title=5 \\
  --set cluster_key \\
  --replace 'streams.c.urls[0].url' s/10.0.3./10.0.4./ \\
  --confirm 120s --message 'it'\\''s late'`);
});

/** @param {string} path @param {import('../../src/http/console/drafts.js').NewValue} value */
const set = (path, value) => /** @type {const} */ ({ kind: 'values', id: 'x', label: 'x', base: 'r', assignments: [{ path, value }] });

test('accepted guards, the prefix of the API, and a reason that begins as an option are in the command', () => {
  const wanted = { ...WANTED, confirm: 0, why: '-5 degrees', prefix: 'other/v1', accepted: ['would-remove-credentials', 'near-miss'] };
  assert.equal(commandOf([set('streams.b.dvr', 'remove')], wanted), `mediactl --url http://127.0.0.1:8090 --api-prefix=other/v1 modify --yes \\
  --unset streams.b.dvr \\
  --accept would-remove-credentials,near-miss --message='-5 degrees'`);
  assert.doesNotMatch(commandOf([set('streams.b.dvr', 'remove')], { ...WANTED, prefix: 'media/api', accepted: [] }), /prefix|accept/);
});

test('what the server masks, or has not answered, is in no command', () => {
  const masked = '@@ -1 +1 @@\n-url rtsp://10.0.0.1/x;\n+url rtsp://<secret:ab12cd>@10.0.0.1/x;\n+  password <secret:ef34gh>;\n';
  for (const value of [{ typed: '[{"url":"rtsp://10.0.0.9/x","password":"TOPSECRET9"}]' }, { replace: 's/10.0.0.1/admin:TOPSECRET9@10.0.0.1/' },
    { typed: 'TOPSECRET9' }]) {
    for (const diff of [masked, '']) assert.doesNotMatch(commandOf([set('streams.a.urls', value)], { ...WANTED, diff }), /TOPSECRET9/);
  }
  const replaced = commandOf([set('streams.a.urls.url', { replace: 's/10.0.0.1/admin:pw@10.0.0.1/' })], { ...WANTED, why: '', diff: masked });
  assert.match(replaced, /^# A line .*secret[^]*\nmediactl --url \S+ edit --confirm 120s$/);
});

test('texts are the diff, unless `patch` would have to find a mask', () => {
  const draft = /** @type {const} */ ({ kind: 'text', id: 'text a', path: 'a', base: 'r', before: '', text: '' });
  const given = (/** @type {string} */ diff) => commandOf([draft], { ...WANTED, why: '', diff });
  const command = given('@@ -1,3 +1,3 @@\n u <secret:ab12cd>;\n x;\n-a;\n+b;\n');
  assert.match(command, /cat > change\.diff <<'END OF CHANGE'\n@@ -1,3 \+1,3 @@/);
  assert.match(command, /VISUAL='patch -s -i change\.diff' mediactl --url \S+ edit --yes --confirm 120s$/);
  for (const diff of ['-a;\n+b <secret:ab12cd>;\n', '-a <secret:ab12cd>;\n+b;\n', ' u <secret:ab12cd>;\n-a;\n+b;\n',
    '-a;\n x;\n u <secret:ab12cd>;\n x;\n-a;\n']) {
    assert.match(given(`@@ -1 +1 @@\n${diff}`), /^# A line [^]*\nmediactl --url \S+ edit --confirm 120s$/);
  }
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { commandOf, quoted } from '../../src/http/console/command.js';

const WANTED = { url: 'http://127.0.0.1:8090', why: "it's late", confirm: 120, diff: '' };

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

test('texts are the diff, and masks in it are told', () => {
  const draft = /** @type {const} */ ({ kind: 'text', id: 'text a', path: 'a', base: 'r', before: '', text: '' });
  const command = commandOf([draft], { ...WANTED, why: '', diff: '@@ -1 +1 @@\n-a;\n+b <secret:ab12cd>;\n' });
  assert.match(command, /^# Put the secrets/);
  assert.match(command, /cat > change\.diff <<'END OF CHANGE'\n@@ -1 \+1 @@/);
  assert.match(command, /EDITOR='patch -s -i change\.diff' mediactl --url \S+ edit --yes --confirm 120s$/);
});

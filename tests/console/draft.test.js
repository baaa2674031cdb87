// The edit that is not sent, the choice where somebody else changed the same, and the command for the shell.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Problem } from '../../src/http/console/server.js';
import { commandOf } from '../../src/http/console/command.js';
import { requestOf, settled, valueAt, withValue } from '../../src/http/console/review.js';

Object.assign(globalThis, { location: { origin: 'http://h:80' } });

/** How the change is to be made. */
const WANTED = { why: '', confirm: 120, accepted: [] };

/** @param {...[string, import('../../src/http/console/review.js').NewValue]} made @returns {import('../../src/http/console/review.js').ValuesDraft} */
const values = (...made) => ({ kind: 'values', label: 'x', base: 'r1', assignments: made.map(([path, value]) => ({ path, value })) });

test('fields of one entry are one edit, and are taken back one by one', () => {
  const field = (/** @type {string} */ name, base = 'r1') => ({ entry: 'streams.a', base, path: `streams.a.${name}` });
  let draft = withValue(null, field('prepush'), { typed: '5' });
  draft = withValue(draft, field('title', 'r2'), { text: 'x' });
  draft = withValue(draft, field('prepush'), { typed: '6' });
  assert.deepEqual(valueAt(draft, 'streams.a.prepush'), { typed: '6' });
  assert.equal(draft?.base, 'r1', 'it is made of what the first field was read of');
  draft = withValue(draft, field('prepush'), undefined);
  assert.equal(withValue(draft, field('title'), undefined), null);
});

test('the request of a text, and of values', () => {
  assert.deepEqual(requestOf({ kind: 'text', label: 'streams.a', base: 'r1', text: 'stream a {}' }),
    { entries: { texts: [{ path: 'streams.a', text: 'stream a {}', create: true }] } });
  const { modify } = /** @type {any} */ (requestOf(values(['streams.a.prepush', 'remove'])));
  assert.deepEqual(modify.edits.assignments.assignments, [{ path: 'streams.a.prepush', value: 'remove' }]);
});

test('of a clash one uses all of mine, or what only I changed', () => {
  const draft = values(['streams.a.prepush', { typed: '7' }], ['streams.b.prepush', { typed: '7' }], ['streams.c.auth.url', { typed: 'u' }]);
  const found = (/** @type {any} */ of, /** @type {string[]} */ ...pointers) => ({ draft: of, target: 'r2', diff: '', command: '', notes: [],
    clash: new Problem(409, 'conflict', 'x', pointers.map((pointer) => ({ message: 'x', pointer }))) });
  assert.deepEqual(settled(found(draft, '/streams/a/prepush'), 'mine'), { ...draft, base: 'r2' });
  const left = settled(found(draft, '/streams/a/prepush', '/streams/c'), 'theirs');
  assert.deepEqual(left, { ...values(['streams.b.prepush', { typed: '7' }]), base: 'r2' });
  assert.equal(settled(found(draft, '/streams'), 'theirs'), null);
  assert.equal(settled(found(draft), 'theirs'), null, 'the base is not kept');
  const text = { kind: 'text', label: 'streams.a', base: 'r1', text: 'stream a {}' };
  assert.equal(settled(found(text, '/streams/a/prepush'), 'theirs'), null);
  assert.deepEqual(settled(found(text), 'mine'), { ...text, base: 'r2' });
});

/** @param {string} keys @param {unknown} after @param {unknown} [before] */
const changed = (keys, after, before) => ({ keys: keys.split('/'), before, after });

test('the command asks for a secret, and shows what is none', () => {
  const draft = values(['streams."a.b".prepush', { typed: '5' }], ['streams.b.dvr', 'remove'], ['streams.a.title', { text: "it's 5" }],
    ['cluster_key', { text: 'n3w' }], ['streams.a.password', { text: 'as before' }], ['streams.b.urls[0].url', { replace: 's/2/3/' }]);
  const answered = [changed('streams/a.b/prepush', 5), changed('streams/a/title', "it's 5"), changed('cluster_key', '<secret:aaaaaa>'),
    changed('streams/b/urls/0/url', 'udp://3', 'udp://2')];
  const made = { why: 'it\'s late', confirm: 120, accepted: ['near-miss', 'would-delete-streams'] };
  assert.equal(commandOf('media/api', draft, made, [], answered), String.raw`mediactl --url http://h:80 modify --yes \
  --set 'streams."a.b".prepush=5' \
  --unset streams.b.dvr \
  --set-string 'streams.a.title=it'\''s 5' \
  --set cluster_key \
  --set streams.a.password \
  --replace 'streams.b.urls[0].url' s/2/3/ \
  --confirm 120s --accept near-miss --message='it'\''s late'`);
});

test('the command opens the editor where a part of a secret would be shown', () => {
  for (const [path, value, answered] of /** @type {[string, any, any[]][]} */ ([
    ['streams.b.urls.url', { replace: 's/2/u:n3w@3/' }, [changed('streams/b/urls/0/url', 'rtsp://<secret:aaaaaa>@3', 'rtsp://2')]],
    ['streams.b.urls.url', { replace: 's/n3w/x/' }, [changed('streams/b/urls/0/url', 'x', '<secret:aaaaaa>')]],
    ['streams.a.urls[url="rtsp://u:n3w@h/x"].tracks', { typed: '3' }, [changed('streams/a/urls/0/tracks', 3)]],
    ['streams."a?token=n3w".title', { typed: '3' }, [changed('streams/a?token=<secret:aaaaaa>/title', '3')]],
  ])) {
    const command = commandOf('other/api', values([path, value]), WANTED, [], answered);
    assert.match(command, /^# The change is beside a secret.*\nmediactl --url http:\/\/h:80 --api-prefix=other\/api edit --confirm 120s$/, path);
  }
  const text = /** @type {const} */ ({ kind: 'text', label: 'streams.a', base: 'r1', text: 'n3w' });
  assert.doesNotMatch(commandOf('media/api', text, WANTED, ['@@ -1 +1 @@', '+password <secret:aaaaaa>;'], []), /n3w|patch/);
  assert.equal(commandOf('media/api', text, { ...WANTED, confirm: 0 }, ['@@ -1 +1 @@', '-a;', '+b;'], []),
    "cat > change.diff <<'END OF CHANGE'\n@@ -1 +1 @@\n-a;\n+b;\nEND OF CHANGE\nVISUAL='patch -s -i change.diff' mediactl --url http://h:80 edit --yes ");
});

// The lines of a difference, and hints of the server: these name options of the command line, which nobody has in the page.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { counts, diffLines, hereOf } from '../../src/http/console/views.js';

test('lines have their numbers in both texts', () => {
  const lines = diffLines('--- before\n+++ after\n@@ -24,3 +24,4 @@\n   url x;\n-  prepush 6;\n+  prepush 5;\n+--- x;\n }\n@@ -40 +41 @@\n-a\n+b\n');
  assert.deepEqual(lines.map(({ kind, before, after }) => [kind, before, after]), [
    ['hunk', undefined, undefined], ['same', 24, 24], ['removed', 25, undefined], ['added', undefined, 25],
    ['added', undefined, 26], ['same', 26, 27], ['hunk', undefined, undefined], ['removed', 40, undefined],
    ['added', undefined, 41],
  ]);
  assert.deepEqual(counts(lines), { added: 3, removed: 2 });
  assert.deepEqual(diffLines(''), []);
});

test('a hint says nothing of the command line', () => {
  for (const [hint, here] of [
    ['did you mean `title`? If `titel` is right, add `--accept near-miss` (over HTTP `accept=near-miss`)', 'did you mean `title`?'],
    ['write it so; `--accept form-change` (over HTTP `accept=form-change`) makes the change anyway', 'write it so'],
    ['`--unset streams.cam1` removes it from 3 entries', ''],
    ['`mediactl read -o set` shows all paths', ''],
    ['`max_delete=N` allows that many, `force=true` any number', ''],
    ['another directive starts further down, before the next `;`', 'another directive starts further down, before the next `;`'],
    [undefined, ''],
  ]) assert.equal(hereOf(hint), here);
});

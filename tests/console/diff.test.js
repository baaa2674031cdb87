import assert from 'node:assert/strict';
import { test } from 'node:test';

import { counts, diffLines } from '../../src/http/console/views.js';

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

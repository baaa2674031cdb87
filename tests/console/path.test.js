import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pathOf, pointerOf, segmentsOf, valueAt } from '../../src/http/console/path.js';

test('paths are written and read back', () => {
  for (const segments of [['streams', 'cam1', 'prepush'], ['streams', 'a.b'], ['streams', 'a"\\b', 'urls', 0, 'url'], ['streams', '*'], ['streams', '']]) {
    assert.deepEqual(segmentsOf(pathOf(segments)), segments);
  }
  assert.equal(pathOf(['streams', 'a.b', 'urls', 0]), 'streams."a.b".urls[0]');
  assert.equal(pointerOf('streams."a/b~".urls[0]'), '/streams/a~1b~0/urls/0');
  assert.equal(valueAt({ streams: { a: { urls: [{ url: 'x' }] } } }, ['streams', 'a', 'urls', 0, 'url']), 'x');
  assert.equal(valueAt({ streams: null }, ['streams', 'a']), undefined);
});

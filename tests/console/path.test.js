import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pathOf, pointerOf, segmentsOf } from '../../src/http/console/base.js';

test('paths are written and read back', () => {
  for (const segments of [['streams', 'cam1', 'prepush'], ['streams', 'a.b'], ['streams', 'a"\\b', 'urls', 0, 'url'], ['streams', '*'], ['streams', '']]) {
    assert.deepEqual(segmentsOf(pathOf(segments)), segments);
  }
  assert.equal(pathOf(['streams', 'a.b', 'urls', 0]), 'streams."a.b".urls[0]');
  assert.equal(pointerOf('streams."a/b~".urls[0]'), '/streams/a~1b~0/urls/0');
  assert.deepEqual(segmentsOf('streams[*].title'), ['streams']);
});

test('several places lie in one', () => {
  for (const below of ['[*].tracks', '[url="u]1"].tracks', '[url=x].tracks', '[+]', '[unended']) {
    assert.equal(pointerOf(`streams.a.urls${below}`), '/streams/a/urls');
  }
  assert.equal(pointerOf('streams.a.url*'), '/streams/a');
});

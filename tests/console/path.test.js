import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pathOf, pointerOf, readAt, segmentsOf } from '../../src/http/console/path.js';

test('paths are written and read back', () => {
  for (const segments of [['streams', 'cam1', 'prepush'], ['streams', 'a.b'], ['streams', 'a"\\b', 'urls', 0, 'url'], ['streams', '*'], ['streams', '']]) {
    assert.deepEqual(segmentsOf(pathOf(segments)), segments);
  }
  assert.equal(pathOf(['streams', 'a.b', 'urls', 0]), 'streams."a.b".urls[0]');
  assert.equal(pointerOf('streams."a/b~".urls[0]'), '/streams/a~1b~0/urls/0');
  assert.equal(readAt({ streams: { a: { urls: [{ url: 'x' }] } } }, 'streams.a.urls[0].url'), 'x');
  assert.deepEqual(readAt({ streams: { a: { urls: [{ url: 'x' }] } } }, 'streams.a.urls.url'), [{ url: 'x' }]);
  assert.equal(readAt({ streams: null }, 'streams.a'), null);
  assert.deepEqual(segmentsOf('streams[*].title'), ['streams']);
});

test('several places lie in one', () => {
  const config = { http: 80, streams: { a: { urls: [{ url: 'u]1', tracks: 2 }] } } };
  for (const below of ['[*].tracks', '[url="u]1"].tracks', '[url=x].tracks', '[+]', '[unended']) {
    assert.deepEqual(readAt(config, `streams.a.urls${below}`), config.streams.a.urls);
    assert.equal(pointerOf(`streams.a.urls${below}`), '/streams/a/urls');
  }
  assert.deepEqual(readAt(config, 'streams.a.url*'), config.streams.a);
});

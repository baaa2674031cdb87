import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pathOf, pointerOf, segmentsOf, unquoted } from '../../src/http/console/base.js';
import { entries, placeAt, spans, tokens } from '../../src/http/console/editor.js';

const TEXT = `# a comment with ; and {
stream cam1 {
  url rtsp://h/x#1 a="b;c"; # not a word
  title "Camera \\"1\\"";
}
rtmp 1935;live a;
stream "x y" udp://239.0.0.1:1;
open {`;

test('tokens know keywords, quotes, comments and masks', () => {
  const found = tokens('a b "c;d" <secret:ab12cd>; # e\n f{g;}').map(({ kind }) => kind);
  assert.deepEqual(found, ['keyword', 'word', 'quoted', 'mask', 'end', 'comment', 'keyword', 'open', 'keyword', 'end', 'close']);
});

test('entries at the top, and what is not ended is left out', () => {
  const found = entries(TEXT).map(({ keyword, words, isBlock, start, end }) => ({ keyword, words, isBlock, text: TEXT.slice(start, end) }));
  assert.deepEqual(found.map(({ keyword, words }) => [keyword, ...words]), [
    ['stream', 'cam1'], ['rtmp', '1935'], ['live', 'a'], ['stream', 'x y', 'udp://239.0.0.1:1'],
  ]);
  assert.deepEqual(found.map(({ isBlock }) => isBlock), [true, false, false, false]);
  assert.ok(found[0]?.text.endsWith('}'));
  assert.equal(found[2]?.text, 'live a;');
});

test('the place of an offset', () => {
  const at = (/** @type {string} */ part) => placeAt(TEXT, TEXT.indexOf(part) + 1);
  assert.deepEqual(at('rtsp'), { blocks: ['stream'], keyword: 'url', word: 'rtsp://h/x#1' });
  assert.deepEqual(at('title'), { blocks: ['stream'], keyword: 'title', word: 'title' });
  assert.deepEqual(at('1935'), { blocks: [], keyword: 'rtmp', word: '1935' });
  assert.deepEqual(at('cam1'), { blocks: [], keyword: 'stream', word: 'cam1' });
  assert.equal(at('not a word').keyword, '');
});

test('spans make up the line, whatever it holds', () => {
  for (const line of [...TEXT.split('\n'), '', '  ', 'a"b', '"', '\t{ }};', '<script>alert(1)</script>']) {
    assert.equal(spans(line).map(([part]) => part).join(''), line);
  }
});

test('a word without its quotes', () => {
  assert.equal(unquoted('"a \\"b\\" \\\\"'), 'a "b" \\');
  assert.equal(unquoted('x="y z"'), 'x=y z');
});

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

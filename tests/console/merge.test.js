import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chosen, merge } from '../../src/http/console/merge.js';

/** True if nothing has to be chosen. */
const isClean = (parts) => parts.every((part) => 'lines' in part);

const BASE = 'stream a {\n  url x;\n  prepush 5;\n  dvr /s;\n}';

test('changes at different places are merged', () => {
  const theirs = BASE.replace('url x;', 'url y;');
  const mine = BASE.replace('dvr /s;', 'dvr /s 7d;\n  title t;');
  const parts = merge(BASE, theirs, mine);
  assert.ok(isClean(parts));
  assert.equal(chosen(parts), 'stream a {\n  url y;\n  prepush 5;\n  dvr /s 7d;\n  title t;\n}');
});

test('changes of the same line are a clash, and each side can be chosen', () => {
  const [theirs, mine] = [BASE.replace('5', '6'), BASE.replace('5', '7')];
  const parts = merge(BASE, theirs, mine);
  assert.ok(!isClean(parts));
  assert.equal(chosen(parts, ['theirs']), theirs);
  assert.equal(chosen(parts, ['mine']), mine);
  assert.equal(chosen(parts, ['base']), BASE);
});

test('changes of lines side by side are no clash; two insertions at one place are', () => {
  const parts = merge(BASE, BASE.replace('  dvr /s;\n', ''), BASE.replace('prepush 5', 'prepush 7'));
  assert.ok(isClean(parts));
  assert.equal(chosen(parts), 'stream a {\n  url x;\n  prepush 7;\n}');
  const insert = (/** @type {string} */ line) => BASE.replace('  dvr', `  ${line}\n  dvr`);
  assert.ok(!isClean(merge(BASE, insert('one;'), insert('two;'))));
});

test('the same change on both sides is none', () => {
  const both = BASE.replace('5', '6');
  assert.equal(chosen(merge(BASE, both, both)), both);
});

test('laws: one side alone is taken as it is', () => {
  const lines = BASE.split('\n');
  const others = lines.flatMap((_, at) => [
    lines.toSpliced(at, 1), lines.toSpliced(at, 0, 'new;'), lines.toSpliced(at, 2, 'one;', 'two;', 'three;'),
  ]).map((list) => list.join('\n'));
  for (const other of [...others, '', BASE + '\n', BASE]) {
    assert.equal(chosen(merge(BASE, other, BASE)), other);
    assert.equal(chosen(merge(BASE, BASE, other)), other);
    assert.equal(chosen(merge(BASE, other, other)), other);
    for (const third of others) {
      const parts = merge(BASE, other, third);
      if (isClean(parts)) assert.equal(chosen(parts), chosen(merge(BASE, third, other)));
    }
  }
});

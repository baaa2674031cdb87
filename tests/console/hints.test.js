// Hints of the server name options of the command line, which nobody has in the page.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hereOf } from '../../src/http/console/views.js';

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

// The filter of the list of streams, by the table that the test of `--where` reads, too.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { conditionOf, filterOf, rowsOf } from '../../src/http/console/rows.js';

const table = JSON.parse(readFileSync(new URL('../fixtures/where/cases.json', import.meta.url), 'utf8'));

test('a condition holds as `--where` says', () => {
  for (const [condition, expected] of table.cases) {
    const holds = conditionOf(condition);
    assert.equal(typeof holds, 'function', condition);
    assert.equal(holds(table.entry), expected, condition);
  }
});

const ROWS = rowsOf({ streams: {
  cam1: { name: 'cam1', static: true, urls: [{ url: 'rtsp://192.0.2.11/h264' }, { url: 'udp://[2001:db8::1]:5' }], title: 'North gate',
    auth: { url_global: 'http://g' }, prepush: 5 },
  cam2: { name: 'cam2', static: false, urls: [], auth: { url: false, url_global: 'http://g' }, prepush: false, disabled: true },
  news: { name: 'news', static: true, urls: [{ url: 'http://h/?a=b' }], auth: { url: 'http://own', url_global: 'http://g' },
    dvr: { root: '/d', disk_limit: 90, dvr_limit: 432000 } },
  bare: { name: 'bare', static: true, urls: [] },
} });

function found(text) {
  const { test: holds } = filterOf(text);
  return ROWS.filter(holds).map((row) => row.name).join(' ');
}

test('words and conditions leave the rows that meet all of them', () => {
  for (const [text, expected] of [
    ['', 'cam1 cam2 news bare'],
    ['CAM', 'cam1 cam2'],
    ['cam gate', 'cam1'],
    ['"north gate"', 'cam1'],
    ['"gate north"', ''],
    ['rtsp://192', 'cam1'],
    ['[2001:db8', 'cam1'],
    ['http://h/?a=b', 'news'],
    ['prepush=5', 'cam1'],
    ['prepush != 5', 'cam2 news bare'],
    ['prepush =5 cam', 'cam1'],
    ['prepush exists cam2', 'cam2'],
    ['auth.url missing', 'bare'],
    ['auth.url=http://g', 'cam1'],
    ['title="North gate"', 'cam1'],
    ['title = "North gate" cam', 'cam1'],
    ['title~"h g"', 'cam1'],
    ['title ~ "h g" cam', 'cam1'],
    ['title~"g h"', ''],
    ['urls.url~192.0.2. static=true', 'cam1'],
    ['dvr.dvr_limit=5d', 'news'],
    ['on demand', 'cam2'],
    ['disabled', 'cam2'],
    ['auth own', 'news'],
    ['exists', ''],
    ['.*', ''],
    ['(', ''],
  ]) assert.equal(found(text), expected, text);
});

test('what is no condition says why', () => {
  assert.match(filterOf('urls.url=~^x').fault, /=~/);
  assert.match(filterOf('title~').fault, /no text/);
  assert.equal(filterOf('title').fault, '');
});

test('a row says whose authorization holds, and what the archive keeps', () => {
  assert.deepEqual(ROWS.map((row) => row.authorization), ['global', 'open', 'own', 'none']);
  assert.deepEqual(ROWS.map((row) => row.archive), ['', '', '/d 90% 5d', '']);
  assert.deepEqual(ROWS.map((row) => row.prepush), ['5', 'off', '', '']);
  assert.equal(ROWS[0].source, 'rtsp://192.0.2.11/h264 +1');
  assert.equal(ROWS[1].kind, 'on demand, disabled');
});

test('a stream has the values of its template where it has none of its own', () => {
  const rows = rowsOf({ template: { low: { prepush: 2, title: 'T', auth: { url: false } } }, streams: {
    a: { name: 'a', urls: [], template: 'low', prepush: 5, auth: { url_global: 'http://g' } },
    b: { name: 'b', urls: [], template: 'low', auth: { url: 'http://own', url_global: 'http://g' } },
    c: { name: 'c', urls: [], template: 'nope' },
  } });
  const shown = rows.map(({ name, prepush, authorization }) => [name, prepush, authorization].join(' '));
  assert.deepEqual(shown, ['a 5 open', 'b 2 own', 'c  none']);
  assert.deepEqual(rows.map(({ from }) => from), [
    { title: 'template low', auth: 'template low' }, { prepush: 'template low', title: 'template low' }, {}]);
  const { test: holds } = filterOf('prepush=2 title=T');
  assert.deepEqual(rows.filter(holds).map((row) => row.name), ['b']);
  assert.equal(rows[1]?.own.prepush, undefined);
});

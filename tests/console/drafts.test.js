import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Drafts, lacksSecret, requestOf } from '../../src/http/console/drafts.js';

function store() {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    kept,
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => { kept.set(key, value); },
    removeItem: (/** @type {string} */ key) => { kept.delete(key); },
  };
}

const READ = { path: 'streams.cam1', base: 'r1', before: 'stream cam1 {\n  prepush 5;\n}' };

test('a text that is as it was is no edit', () => {
  const drafts = new Drafts(store());
  drafts.setText(READ, 'stream cam1 {}');
  assert.equal(drafts.list.length, 1);
  assert.equal(drafts.textOf('streams.cam1')?.text, 'stream cam1 {}');
  drafts.setText(READ, READ.before);
  assert.deepEqual(drafts.list, []);
});

test('fields of one entry are one draft, and can be taken back one by one', () => {
  const drafts = new Drafts(store());
  const field = (/** @type {string} */ name) => ({ entry: 'streams.a', path: `streams.a.${name}`, base: 'r1' });
  drafts.setValue(field('prepush'), { typed: '5' });
  drafts.setValue(field('title'), { text: 'x' });
  drafts.setValue(field('prepush'), { typed: '6' });
  assert.equal(drafts.list.length, 1);
  assert.deepEqual(drafts.valueAt('streams.a.prepush'), { typed: '6' });
  drafts.setValue(field('prepush'), undefined);
  drafts.setValue(field('title'), undefined);
  assert.deepEqual(drafts.list, []);
});

test('what is kept survives, without the secrets that were typed', () => {
  const kept = store();
  const drafts = new Drafts(kept);
  drafts.setText({ ...READ, before: 'stream cam1 {\n  url rtsp://<secret:ab12cd>@h/x;\n}' },
    'stream cam1 {\n  url rtsp://user:hunter2@h/x?token=hunter3&a=b#hunter;\n  url rtsp://<secret:ab12cd>@h/y password=hunter4;\n  cluster_key hunter5; # the key is hunter6\n  header "Authorization: Bearer hunter7";\n}');
  drafts.setValue({ entry: 'edit_auth', path: 'edit_auth.password', base: 'r1' }, { text: 'hunter8' });
  drafts.setText({ path: 'edit_auth', base: 'r1', before: 'edit_auth admin <secret:000000>;' }, 'edit_auth admin hunter9;');
  drafts.addMany({ label: 'set auth.url', base: 'r1', assignments: [{ path: 'streams.a.auth.url', value: { typed: 'http://u:hunter10@h/x' } }] });
  const written = [...kept.kept.values()].join();
  assert.doesNotMatch(written, /hunter\d/);
  assert.match(written, /<secret:ab12cd>@h\/y/);
  const again = new Drafts(kept);
  assert.equal(again.list.length, 4);
  assert.ok(again.list.every(lacksSecret));
  assert.ok(!drafts.list.some(lacksSecret), 'this page still has them');
  again.clear();
  assert.equal(kept.kept.size, 0);
});

test('a store with something else in it is no fault', () => {
  for (const found of ['{', '5', '[null, 7]', 'null']) {
    const kept = store();
    kept.setItem('mediactl-edits', found);
    assert.deepEqual(new Drafts(kept).list, []);
  }
});

test('the request of one text, of values, and of both', () => {
  const drafts = new Drafts(store());
  drafts.setText(READ, 'stream cam1 {}');
  assert.deepEqual(requestOf(drafts.list), { operation: 'save_entry', query: { path: 'streams.cam1' }, body: 'stream cam1 {}' });
  drafts.setValue({ entry: 'streams.a', path: 'streams.a.prepush', base: 'r1' }, 'remove');
  const both = /** @type {any} */ (requestOf(drafts.list));
  assert.deepEqual(both.body.entries.texts, [{ path: 'streams.cam1', text: 'stream cam1 {}' }]);
  assert.deepEqual(both.body.entries.then.edits.assignments.assignments, [{ path: 'streams.a.prepush', value: 'remove' }]);
  drafts.discard('text streams.cam1');
  assert.ok('modify' in /** @type {any} */ (requestOf(drafts.list)).body);
});

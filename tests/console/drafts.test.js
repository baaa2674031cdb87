import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Drafts, lacksTyped, requestOf } from '../../src/http/console/drafts.js';

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
  drafts.undo('streams.a.prepush');
  drafts.undo('streams.a.title');
  assert.deepEqual(drafts.list, []);
});

const SECRETS = {
  ...READ,
  before: 'stream cam1 {\n  # master key: in the safe\n  url rtsp://<secret:ab12cd>@h/x;\n}',
};
const TYPED = ['  url rtsp://camera:newpw1@10.0.0.9/h264 tracks=2;', '  url srt://h passphrase="quoted secret2";', '  auth http://x "token=secr 3";', '  prepush 8;'];
const text = SECRETS.before.replace('}', `${TYPED.join('\n')}\n}`);
/** The request of one text, as the server says it was sent. @param {string} masked */
const shown = (masked) => ({ entries: { texts: [{ path: READ.path, text: masked }] } });

test('what was typed is kept after the server showed it without a mask', () => {
  const kept = store();
  const drafts = new Drafts(kept);
  drafts.setText(SECRETS, text);
  assert.doesNotMatch([...kept.kept.values()].join(), /newpw1|secret2|secr 3|prepush 8/, 'nothing before the answer');
  const [draft] = drafts.list;
  assert.ok(draft);
  const masks = ['rtsp://<secret:newer1>@', 'passphrase=<secret:newer2>', '<secret:newer3>'];
  const secrets = ['rtsp://camera:newpw1@', 'passphrase="quoted secret2"', '"token=secr 3"'];
  drafts.answered(draft, shown(secrets.reduce((made, secret, at) => made.replace(secret, masks[at]), text)));
  const again = new Drafts(kept);
  assert.equal(again.textOf('streams.cam1')?.text, SECRETS.before.replace('}',
    '  url rtsp://<secret:retype>@10.0.0.9/h264 tracks=2;\n  url srt://h passphrase=<secret:retype>;\n  auth http://x <secret:retype>;\n  prepush 8;\n}'));
  assert.ok(lacksTyped(again.list));
  assert.ok(!lacksTyped(drafts.list), 'this page still has them');
  again.clear();
  assert.equal(kept.kept.size, 0);
});

test('a comment that was there stays, and is no secret to type again', () => {
  const kept = store();
  const drafts = new Drafts(kept);
  const edited = SECRETS.before.replace('}', '  prepush 8;\n}');
  drafts.setText(SECRETS, edited);
  if (drafts.list[0]) drafts.answered(drafts.list[0], shown(edited));
  const again = new Drafts(kept);
  assert.equal(again.textOf('streams.cam1')?.text, edited);
  assert.ok(!lacksTyped(again.list));
  again.addMany({ label: 'more', base: 'r1', assignments: [{ path: 'streams.a.title', value: 'remove' }] });
  assert.equal(new Drafts(kept).textOf('streams.cam1')?.text, edited, 'what was kept stays');
});

test('values are kept as the server shows them', () => {
  const kept = store();
  const drafts = new Drafts(kept);
  const values = [['prepush', { typed: '5' }], ['cluster_key', { text: '5' }], ['urls', { typed: '[{"password":"5"}]' }],
    ['urls.url', { replace: 's/10.0.0.1/admin:pw@10.0.0.1/' }], ['auth.url', { typed: 'http://u:pw@h/x' }], ['title', 'remove']];
  drafts.addMany({ label: 'all', base: 'r1', assignments: values.map(([name, value]) => (
    { path: `streams.a.${name}`, value: /** @type {import('../../src/http/console/drafts.js').NewValue} */ (value) })) });
  const found = () => Object.values(JSON.parse(kept.kept.get('mediactl-edits null') ?? '')[0].assignments).map((/** @type {any} */ { value }) => value === 'remove' ? value : Object.values(value)[0]);
  const retype = '<secret:retype>';
  assert.deepEqual(found(), [retype, retype, retype, retype, retype, 'remove']);
  const masked = values.map(([, value], at) => ({ value: at > 0 && typeof value === 'object' ? { [Object.keys(value)[0]]: '<secret:newer1>' } : value }));
  if (drafts.list[0]) drafts.answered(drafts.list[0], { modify: { edits: { assignments: { assignments: masked } } } });
  assert.deepEqual(found(), ['5', retype, retype, retype, retype, 'remove']);
});

test('a path that finds its places by a secret is kept as the server shows it', () => {
  const kept = store();
  const drafts = new Drafts(kept);
  const paths = ['streams.a.urls[url="rtsp://u:pw@h"].tracks', 'streams.a.urls[url="udp://1"].tracks', 'streams.a.prepush'];
  drafts.addMany({ label: 'all', base: 'r1', assignments: paths.map((path) => ({ path, value: 'remove' })) });
  const found = () => JSON.parse(kept.kept.get('mediactl-edits null') ?? '')[0].assignments;
  const of = (/** @type {string[]} */ ...each) => each.map((path) => ({ path, value: 'remove' }));
  assert.deepEqual(found(), of('<secret:retype>', '<secret:retype>', paths[2]));
  const masked = of('streams.a.urls[url="rtsp://<secret:newer1>@h"].tracks', paths[1], paths[2]);
  if (drafts.list[0]) drafts.answered(drafts.list[0], { modify: { edits: { assignments: { assignments: masked } } } });
  assert.deepEqual(found(), of('streams.a.urls[url="rtsp://<secret:retype>@h"].tracks', paths[1], paths[2]));
  assert.ok(lacksTyped(new Drafts(kept).list));
});

test('a store with something else in it is no fault', () => {
  for (const found of ['{', '5', '[null, 7]', 'null']) {
    const kept = store();
    kept.setItem('mediactl-edits null', found);
    assert.deepEqual(new Drafts(kept).list, []);
  }
});

test('the request of one text, of values, and of both', () => {
  const drafts = new Drafts(store());
  drafts.setText(READ, 'stream cam1 {}');
  drafts.setValue({ entry: 'streams.a', path: 'streams.a.prepush', base: 'r1' }, 'remove');
  const both = /** @type {any} */ (requestOf(drafts.list));
  assert.deepEqual(both.entries.texts, [{ path: 'streams.cam1', text: 'stream cam1 {}', create: undefined }]);
  assert.deepEqual(both.entries.then.edits.assignments.assignments, [{ path: 'streams.a.prepush', value: 'remove' }]);
  drafts.discard('text streams.cam1');
  assert.ok('modify' in requestOf(drafts.list));
});

test('what was edited while a change was sent stays, as an edit of what the change made', () => {
  const drafts = new Drafts(store());
  const field = (/** @type {string} */ name) => ({ entry: 'streams.a', path: `streams.a.${name}`, base: 'r1' });
  drafts.setText(READ, 'sent');
  drafts.setText({ ...READ, path: 'streams.cam2' }, 'sent, too');
  drafts.setValue(field('prepush'), { typed: '5' });
  const sent = drafts.list;
  drafts.setText(READ, 'sent, and more');
  drafts.setValue(field('title'), { text: 'x' });
  drafts.made(sent, 'r2');
  assert.deepEqual(drafts.list, [
    { kind: 'text', id: 'text streams.cam1', path: 'streams.cam1', base: '', before: READ.before, text: 'sent, and more' },
    { kind: 'values', id: 'streams.a', label: 'streams.a', base: 'r2', assignments: [{ path: 'streams.a.title', value: { text: 'x' } }] },
  ]);
  const [first] = drafts.list;
  assert.equal(first?.kind === 'text' && drafts.beforeOf(first), 'sent');
});

test('of two assignments of one path the later one holds, and an undo brings the earlier one back', () => {
  const drafts = new Drafts(store());
  const field = { entry: 'streams.a', path: 'streams.a.prepush', base: 'r1' };
  const many = ['streams.a.prepush', 'streams.b.prepush'].map((path) => ({ path, value: { typed: '9' } }));
  const paths = () => (/** @type {any} */ (requestOf(drafts.list))).modify.edits.assignments.assignments.map((/** @type {any} */ { path, value }) => [path, value]);
  drafts.setValue(field, { typed: '3' });
  drafts.addMany({ label: 'set prepush', base: 'r1', assignments: many });
  assert.deepEqual(paths(), many.map(({ path, value }) => [path, value]));
  drafts.setValue(field, { typed: '4' });
  assert.deepEqual(paths(), [['streams.b.prepush', { typed: '9' }], ['streams.a.prepush', { typed: '4' }]]);
  assert.deepEqual(drafts.valueAt(field.path), { typed: '4' });
  drafts.undo(field.path, true);
  assert.deepEqual(paths(), many.map(({ path, value }) => [path, value]));
  drafts.setValue(field, { typed: '4' });
  drafts.addMany({ label: 'set prepush', base: 'r1', assignments: many });
  assert.deepEqual(paths(), many.map(({ path, value }) => [path, value]));
  drafts.undo(field.path, true);
  assert.deepEqual(drafts.valueAt(field.path), { typed: '4' });
  drafts.addMany({ label: 'set prepush', base: 'r1', assignments: many });
  drafts.undo(field.path);
  assert.deepEqual(paths(), [['streams.b.prepush', { typed: '9' }]]);
});

test('a value that was not kept is not missing where a later one holds', () => {
  const drafts = new Drafts(store());
  const assignments = [{ path: 'streams.a.cluster_key', value: { text: '<secret:retype>' } }];
  drafts.addMany({ label: 'set cluster_key', base: 'r1', assignments });
  assert.ok(lacksTyped(drafts.list));
  drafts.setValue({ entry: 'streams.a', path: 'streams.a.cluster_key', base: 'r1' }, { text: 'again' });
  assert.ok(!lacksTyped(drafts.list));
});

test('a store without room is told of, and has no older edits', () => {
  const kept = store();
  const drafts = new Drafts(kept);
  drafts.setText(READ, 'first');
  let told = 0;
  drafts.subscribe(() => { told += 1; });
  const { setItem } = kept;
  kept.setItem = () => { throw new Error('the quota is exceeded'); };
  drafts.setText(READ, 'second');
  assert.deepEqual([drafts.isKept, told, drafts.list.length, kept.kept.size], [false, 1, 1, 0]);
  kept.setItem = setItem;
  drafts.setText(READ, 'third');
  assert.deepEqual([drafts.isKept, kept.kept.size], [true, 1]);
});

test('who may only look has no edits, and removes none', () => {
  const kept = store();
  const drafts = new Drafts(kept);
  drafts.enter('edit');
  drafts.setText(READ, 'mine');
  drafts.enter('view');
  assert.deepEqual(drafts.list, []);
  drafts.clear();
  drafts.enter(null);
  drafts.enter('edit');
  assert.equal(drafts.textOf(READ.path)?.before, READ.before);
});

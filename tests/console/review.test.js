// Edits are brought to another configuration: with a server of this file, which keeps no text that an edit was made of.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Problem } from '../../src/http/console/api.js';
import { Drafts, requestOf } from '../../src/http/console/drafts.js';
import { remasked, review } from '../../src/http/console/review.js';

/** How the change is to be made. */
const WANTED = { why: '', confirm: 120, accepted: [] };

const OLD = 'stream a {\n  url rtsp://<secret:aaaaaa>@h/x;\n  prepush 5;\n}';

/** @param {{ text?: string, config?: unknown, revision?: string }} now */
function server({ text = OLD, config = {}, revision = 'r2' }) {
  /** @type {{ path: string, body: any }[]} */
  const sent = [];
  const status = { revisions: { running: revision, file: revision }, state: [], versions: { mediactl: '1' } };
  const api = /** @type {any} */ ({
    get: async (/** @type {string} */ path, /** @type {any} */ query) =>
      ({ body: path === 'status' ? status : query.format === 'conf' ? text : config }),
    post: async (/** @type {string} */ path, /** @type {any} */ query, /** @type {any} */ body) => {
      if (path === 'check_config') {
        sent.push({ path, body });
        return { body: { sent: String(body).replace('TYPED', '<secret:newer1>') } };
      }
      if (query.base !== revision) throw new Problem(412, 'stale', 'the base is not kept');
      sent.push({ path, body });
      return { body: { diff: ['a diff'], command: '', values: [] }, notes: [] };
    },
  });
  return { api, sent };
}

function drafts() {
  return new Drafts({ getItem: () => null, setItem: () => {}, removeItem: () => {} });
}

test('a value that has only other masks was changed by nobody', async () => {
  const edits = drafts();
  const masked = (/** @type {string} */ mask, seconds = 5) => ({ urls: [{ url: `rtsp://<secret:${mask}>@h/x` }], prepush: seconds });
  edits.put({ kind: 'values', id: 'x', label: 'x', base: 'r1', assignments: [{ path: 'streams.a', value: 'remove', before: masked('aaaaaa') }] });
  const restarted = server({ config: { streams: { a: masked('bbbbbb') } } });
  assert.deepEqual((await review(restarted.api, edits, WANTED)).clashes, []);
  const changed = server({ config: { streams: { a: masked('cccccc', 6) } }, revision: 'r3' });
  assert.equal((await review(changed.api, edits, WANTED)).clashes[0].questions[0].what, '/streams/a');
});

test('of a value whose base is kept nowhere one is asked, if it is another one now', async () => {
  const edits = drafts();
  const field = { entry: 'streams.a', path: 'streams.a.prepush', base: 'r1' };
  edits.setValue({ ...field, before: 5 }, { typed: '6' });
  edits.setValue({ ...field, before: 5 }, { typed: '7' });
  const same = server({ config: { streams: { a: { prepush: 5 } } }, revision: 'r1b' });
  assert.equal((await review(same.api, edits, WANTED)).diff, 'a diff');
  edits.put({ .../** @type {any} */ (edits.list[0]), base: 'r1' });
  edits.answered(edits.list[0], requestOf(edits.list));
  const other = server({ config: { streams: { a: { prepush: 8 } } } });
  const { clashes } = await review(other.api, edits, WANTED);
  assert.deepEqual(clashes[0]?.questions, [{ what: '/streams/a/prepush', base: 5, theirs: 8, mine: '7' }]);
  clashes[0]?.settle(['mine']);
  const { diff, list } = await review(other.api, edits, WANTED);
  assert.deepEqual([diff, list], ['a diff', edits.list]);
  assert.deepEqual(other.sent.at(-1)?.body.modify.edits.assignments.assignments, [{ path: 'streams.a.prepush', value: { typed: '7' } }]);
});

test('a secret that was typed is not shown where one is asked', async () => {
  const edits = drafts();
  edits.setValue({ entry: 'streams.a', path: 'streams.a.cluster_key', base: 'r1', before: null }, { text: 'TYPED' });
  const other = server({ config: { streams: { a: { cluster_key: '<secret:cccccc>' } } } });
  const { clashes } = await review(other.api, edits, WANTED);
  assert.deepEqual(clashes[0]?.questions, [{ what: '/streams/a/cluster_key', base: null, theirs: '<secret:cccccc>', mine: '<secret:retype>' }]);
});

test('a value that is typed as it was, after somebody else changed it, is asked for', async () => {
  const edits = drafts();
  const read = { path: 'streams.a', base: 'r1', before: OLD };
  edits.setText(read, OLD.replace('5', '6'));
  const now = OLD.replace('5', '8');
  edits.setText({ ...read, now }, OLD);
  const { clashes } = await review(server({ text: now }).api, edits, WANTED);
  assert.deepEqual(clashes[0]?.questions, [{ what: 'streams.a', base: '  prepush 5;', theirs: '  prepush 8;', mine: '  prepush 5;' }]);
  clashes[0]?.settle(['mine']);
  assert.equal(edits.textOf('streams.a')?.text, OLD);
  edits.setText({ ...read, now }, now);
  assert.equal(edits.textOf('streams.a'), undefined);
});

test('an edit with masks of an earlier server gets those of this one', async () => {
  const edits = drafts();
  edits.setText({ path: 'streams.a', base: 'r2', before: OLD }, OLD.replace('h/x', 'h/y').replace('5', '6'));
  const { api, sent } = server({ text: OLD.replace('aaaaaa', 'bbbbbb') });
  const { diff } = await review(api, edits, WANTED);
  assert.equal(diff, 'a diff');
  assert.equal(sent.at(-1)?.body.entries.texts[0].text, OLD.replace('aaaaaa', 'bbbbbb').replace('h/x', 'h/y').replace('5', '6'));
});

test('a mask that still holds stays', () => {
  const again = remasked('a <secret:aaaaaa>;\nb <secret:aaaaaa>;', 'a <secret:bbbbbb>;\nb <secret:aaaaaa>;');
  assert.equal(again('b <secret:aaaaaa>;'), 'b <secret:aaaaaa>;');
});

test('the lines of a text that were typed are shown without their secrets where one is asked', async () => {
  const edits = drafts();
  edits.setText({ path: 'streams.a', base: 'r1', before: OLD }, OLD.replace('prepush 5;', 'password TYPED;'));
  const { api, sent } = server({ text: OLD.replace('5', '8') });
  const { clashes } = await review(api, edits, WANTED);
  assert.deepEqual(clashes[0]?.questions, [{ what: 'streams.a', base: '  prepush 5;', theirs: '  prepush 8;', mine: '  password <secret:retype>;' }]);
  assert.deepEqual(sent.map(({ path }) => path), ['check_config']);
  clashes[0]?.settle(['mine']);
  assert.ok(edits.textOf('streams.a')?.text.includes('password TYPED;'), 'the edit still has it');
});

test('a guard that is accepted holds for an edit of an earlier configuration, too', async () => {
  const edits = drafts();
  edits.setValue({ entry: 'streams.a', path: 'streams.a', base: 'r1', before: {} }, 'remove');
  const { api } = server({});
  const { post } = api;
  api.post = async (/** @type {string} */ path, /** @type {any} */ query, /** @type {any} */ body) => {
    if (!query.max_delete) throw new Problem(409, 'would-delete-streams', '6 streams would be deleted');
    return post(path, { ...query, base: 'r2' }, body);
  };
  await assert.rejects(review(api, edits, WANTED), { name: 'would-delete-streams' });
  assert.equal((await review(api, edits, { ...WANTED, accepted: ['would-delete-streams'] })).diff, 'a diff');
});

// The requests of the page, over a stand-in of `fetch` that answers when the test says so.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { Api } from '../../src/http/console/server.js';

/** @type {((response: Response) => void)[]} */
let answers = [];

beforeEach(() => {
  answers = [];
  globalThis.fetch = () => new Promise((done) => { answers.push(done); });
});

/** What has come of a request once all that waits has run. */
async function outcomes(...requests) {
  const seen = requests.map(() => 'nothing');
  requests.forEach((request, at) => void request.then(() => { seen[at] = 'an answer'; }, () => { seen[at] = 'a problem'; }));
  await new Promise((done) => { setImmediate(done); });
  return seen;
}

test('what was asked for before a log-out gets no answer any more', async () => {
  const api = new Api('media/api');
  api.logIn('admin', 'right');
  const before = api.get('read_config');
  const bad = api.get('status');
  api.logOut();
  api.logIn('other', 'right');
  const after = api.get('read_config');
  answers[0]?.(new Response('{}', { headers: { 'Content-Type': 'application/json' } }));
  answers[1]?.(new Response('', { status: 401 }));
  answers[2]?.(new Response('{}'));
  assert.deepEqual(await outcomes(before, bad, after), ['nothing', 'nothing', 'an answer']);
});

test('a request whose signal ended it gets no answer, and another one does', async () => {
  const api = new Api('media/api');
  const ended = new AbortController();
  const requests = [api.get('status', {}, { signal: ended.signal }), api.get('status')];
  ended.abort();
  for (const answer of answers) answer(new Response('{}'));
  assert.deepEqual(await outcomes(...requests), ['nothing', 'an answer']);
});

test('a problem has the words of the server', async () => {
  const api = new Api('media/api');
  const request = api.get('status');
  answers[0]?.(new Response(JSON.stringify({ type: 'urn:mediactl:problem:stale', detail: 'what it is' }),
    { status: 412, headers: { 'Content-Type': 'application/problem+json', 'Retry-After': '7' } }));
  await assert.rejects(request, { name: 'stale', status: 412, message: 'what it is', retryAfter: 7 });
});

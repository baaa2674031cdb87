// What is looked at: secrets, the history, and the whole text.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { EDITOR, EXAMPLE, apply, ask, enter, press, replace, review, shows } from './entered.js';
import { inBrowser, logIn, open, options, until } from './served.js';

const here = inBrowser(EXAMPLE, { each: true });

const prepush = (/** @type {number} */ seconds) => ask(here, 'modify_config', `{"streams":{"cam1":{"prepush":${seconds}}}}`);

test('Edit shows the secrets of an entry, Cancel hides them, and the log says who it was', options, async () => {
  const page = await enter(here, '#/streams/cam2');
  await shows(page, '.colours', '<secret:');
  assert.ok(!(await page.content()).includes('camera:not-real'));
  await press(page, 'Edit');
  await shows(page, '.colours', 'camera:not-real');
  assert.match(readFileSync(here.log, 'utf8'), / admin GET \/media\/api\/read_config 200 .*streams\.cam2/);
  await press(page, 'Cancel');
  await page.waitForFunction(() => !document.body.textContent?.includes('camera:not-real'));
  await press(page, 'Edit');
  await shows(page, '.colours', 'camera:not-real');
  await page.evaluate(() => { location.hash = '#/status'; });
  await page.waitForFunction(() => !document.body.textContent?.includes('camera:not-real'));
});

test('the last changes of an entry show no secret', options, async () => {
  await ask(here, 'modify_config', '{"streams":{"cam1":{"password":"zzsecret"}}}');
  const page = await enter(here, '#/streams/cam1');
  await shows(page, '.changes code', 'password: nothing → <secret:');
  assert.ok(!(await page.content()).includes('zzsecret'));
});

test('a value with a secret inside is changed in the text', options, async () => {
  await ask(here, 'modify_config', '{"streams":{"cam1":{"comment":"see http://u:zzsecret@h/x"}}}');
  const page = await enter(here, '#/streams/cam1');
  await shows(page, 'output#field-comment', 'see http://<secret:');
  await shows(page, '.about', 'holds a secret');
  await replace(page, 'comment "see', 'comment "look at');
  await review(page);
  await apply(page);
  assert.ok(here.text.includes('comment "look at http://u:zzsecret@h/x";'), here.text);
});

test('one logs out of a page of a stream', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await page.waitForSelector('.fields');
  await press(page, 'Log out');
  await page.waitForSelector('.login');
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

test('the history shows what a change did; going back after a change of somebody else shows the new difference, once, and is made of that', options, async () => {
  await ask(here, 'modify_config?message=first', '{"streams":{"cam1":{"prepush":6}}}');
  const page = await enter(here, '#/history/1');
  for (const told of ['first', 'streams.cam1.prepush']) await shows(page, '.history-list', told);
  await shows(page, '.history-detail .added', 'prepush 6;');
  await press(page, 'Go back to before change 1');
  await shows(page, '.history-detail .removed', 'prepush 6;');
  assert.ok(here.text.includes('prepush 6;'), 'nothing is changed yet');
  await page.type('.history-detail .why input', 'it was better');
  for (const seconds of [7, 8]) {
    await prepush(seconds);
    await press(page, 'Go back');
    await shows(page, '.history-detail .removed', `prepush ${seconds};`);
    await shows(page, '.history-detail', 'new difference');
  }
  assert.equal((await page.$$('.history-detail [role=alert]')).length, 1);
  await press(page, 'Go back');
  await until(() => here.text.includes('prepush 5;'), 'the earlier text');
  assert.equal((await ask(here, 'status')).pending.message, 'it was better');
});

test('going back says what it does to an edit by hand, and what is shown ends with what is pending', options, async () => {
  for (const seconds of [6, 7]) await prepush(seconds);
  const page = await enter(here, '#/history/2');
  await page.waitForSelector('.history-detail .diff');
  here.editByHand((text) => text.replace('prepush 7', 'prepush 70'));
  await until(async () => (await ask(here, 'status')).state.includes('edited-by-hand'), 'the hand edit');
  await press(page, 'Go back to before change 2');
  await shows(page, '.history-detail .warning', 'That edit is overwritten; the history keeps it.');
  await shows(page, '.history-detail .removed', 'prepush 70;');
  await press(page, 'Go back');
  await shows(page, '.history-detail', 'until it is kept or rolled back');
  await until(() => here.text.includes('prepush 6;'), 'the text before the second change');
  await shows(page, '.history-list', '3');
  await press(page, 'Roll back');
  await shows(page, '.history-detail h2', 'change 2');
  assert.ok(!(await page.$eval('.history-detail', (box) => box.textContent)).includes('is the configuration again'));
});

test('going back deletes many streams only if one says so', options, async () => {
  const names = [...'abcdef'].map((letter) => `new-${letter}`);
  await ask(here, 'modify_config', JSON.stringify({ streams: Object.fromEntries(names.map((name) => [name, { urls: [{ url: 'udp://239.0.0.1:1' }] }])) }));
  const page = await enter(here, '#/history/1');
  await press(page, 'Go back to before change 1');
  await shows(page, '.history-detail .problem', 'streams would be deleted');
  assert.doesNotMatch(await page.$eval('.problem', (problem) => problem.textContent), /max_delete|force/);
  await press(page, 'Delete these streams anyway');
  await shows(page, '.history-detail .removed', 'new-f');
  await press(page, 'Go back');
  await until(() => !here.text.includes('new-'), 'the text before the change');
});

test('the address of a line shows the text that it was copied from', options, async () => {
  const page = await enter(here, '#/text');
  await page.waitForSelector('.text-row');
  await page.click('[data-line="26"] code');
  await page.waitForFunction(() => /^#\/text@[0-9a-f]{32}\/L27$/.test(location.hash));
  await page.waitForSelector('.text-side .area');
  const link = await page.evaluate(() => location.hash);
  await prepush(6);
  const other = await enter(here, link);
  await shows(other, '.text-row.at', 'prepush 5;');
  await shows(other, 'main', 'before change 1');
});

test('the nodes of a cluster stand in a table, those with a fault first', options, async () => {
  const page = await open(here, { hash: '#/status' });
  const nodes = [
    { node: 'one', serial: 7, wanted: 7, state: 'running' },
    { node: 'two', serial: 6, wanted: 7, state: 'failed', why: 'the reload command failed <b>' },
    { node: 'new', serial: null, wanted: 7, state: 'drifted', why: null },
    { node: 'twin', serial: 7, wanted: 7, state: 'running', why: 'process 4711 on media3 has the node name twin, too' },
  ];
  const status = await ask(here, 'status');
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const answer = (/** @type {unknown} */ body) => request.respond({ contentType: 'application/json', headers: { ETag: '"made-up"' }, body: JSON.stringify(body) });
    if (pathname.endsWith('/nodes')) return answer(nodes);
    if (!pathname.endsWith('/status')) return request.continue();
    // What waits for another status goes on waiting.
    return searchParams.has('wait') ? undefined : answer(status);
  });
  await logIn(page, EDITOR);
  await shows(page, 'main h2', 'Nodes (4)');
  assert.deepEqual(await page.$$eval('tbody tr', (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))), [
    ['two', 'failed', 'change 6, should run change 7', 'the reload command failed <b>'],
    ['new', 'drifted', 'nothing, should run change 7', ''],
    ['twin', 'running', 'change 7', 'process 4711 on media3 has the node name twin, too'],
    ['one', 'running', 'change 7', ''],
  ]);
  assert.deepEqual(await page.$$eval('tbody .state', (words) => words.map((word) => word.className)), ['state bad', 'state bad', 'state warn', 'state good']);
});

test('the text is searched, and its entry is edited beside it', options, async () => {
  const page = await enter(here, '#/text');
  await page.waitForSelector('#search');
  await page.type('#search', 'ROOM');
  await page.$eval('#search', (input) => { /** @type {HTMLInputElement} */ (input).select(); });
  await page.type('#search', 'prepush');
  await shows(page, '.search', '1 of 2');
  await page.keyboard.press('Enter');
  await shows(page, '.search', '2 of 2');
  // The entry of the line before is there until then.
  await page.waitForFunction(() => document.querySelector('.area')?.value.includes('prepush off'));
  await replace(page, 'prepush off', 'prepush 3');
  await review(page);
  await apply(page);
  await until(() => here.text.includes('prepush 3;'), 'the edit beside the text');
  await shows(page, '.text-row', 'prepush 3;');
});

test('of several entries in one line each is edited', options, async () => {
  const line = 'rtsp 554; http 8081; stream one { url udp://1; }';
  here.editByHand((text) => text.replace('rtsp 554;', line));
  await here.stop();
  await here.start();
  const page = await enter(here, '#/text');
  await page.waitForSelector('.text-row');
  const number = here.text.split('\n').indexOf(line);
  await page.$eval(`[data-line="${number}"] code`, (code) => /** @type {HTMLElement} */ (code).click());
  await page.waitForFunction(() => document.querySelector('.area')?.value === 'rtsp 554;');
  const choose = async (/** @type {string} */ text) => {
    await page.$eval('.text-side select', (choice, wanted) => {
      const box = /** @type {HTMLSelectElement} */ (choice);
      box.value = wanted;
      box.dispatchEvent(new Event('change'));
    }, text);
  };
  await choose('stream one');
  await page.waitForFunction(() => document.querySelector('.area')?.value.startsWith('stream one'));
  await choose('http 8081');
  await page.waitForFunction(() => document.querySelector('.area')?.value === 'http 8081;');
  await replace(page, '8081', '8082');
  await review(page);
  await apply(page);
  await until(() => here.text.includes(line.replace('8081', '8082')), 'the edit of the second entry');
});

test('what is invisible or turns the order of letters is shown as a sign', options, async () => {
  const [name, hidden] = ['cam\u202e1', 'a\u200b\u0007b'];
  await ask(here, `modify_config?message=${encodeURIComponent(hidden)}`, JSON.stringify({ streams: { [name]: { title: hidden, urls: [{ url: 'udp://1' }] } } }));
  const page = await enter(here, '#/streams');
  const seen = async (/** @type {string} */ selector, /** @type {string} */ text) => {
    await shows(page, selector, text);
    assert.doesNotMatch(await page.evaluate(() => document.body.innerText), /[\u202e\u200b\u0007]/);
  };
  await seen('.rows .name', 'cam\ufffd1');
  for (const [hash, selector, text] of [
    [`#/streams/${encodeURIComponent(name)}`, 'h1', 'cam\ufffd1'],
    [`#/streams/${encodeURIComponent(name)}`, '.colours', 'a\ufffd\ufffdb'],
    ['#/text', '.text-row', 'cam\ufffd1'],
    ['#/history/1', '.message', 'a\ufffd\ufffdb'],
    ['#/history/1', '.diff .added', 'cam\ufffd1'],
  ]) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    if (hash === '#/text') {
      await page.waitForSelector('.text-lines');
      await page.$eval('.text-lines', (box) => { box.scrollTop = box.scrollHeight; });
    }
    await seen(selector, text);
  }
  assert.ok(here.text.includes(name), 'the file has it as it was');
});

test('of directives that stand there several times each is edited alone', options, async () => {
  const page = await enter(here, '#/text');
  await page.waitForSelector('.text-row');
  const number = EXAMPLE.split('\n').indexOf('http 127.0.0.1:8080;');
  await page.$eval(`[data-line="${number}"] code`, (line) => /** @type {HTMLElement} */ (line).click());
  await replace(page, ':8080', ':8081');
  await review(page);
  await apply(page);
  await until(() => here.text === EXAMPLE.replace(':8080', ':8081'), 'the edit of the second directive');
});

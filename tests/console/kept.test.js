// What is kept of what was typed: over a reload, another name of the login, another login in the same tab; and the bytes beside it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EDITOR, EXAMPLE, VIEWER, ask, enter, press, replace, shows } from './entered.js';
import { inBrowser, logIn, options, until } from './served.js';

const here = inBrowser(EXAMPLE, { each: true });

test('what was typed after a change of somebody else survives a reload', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 7');
  await ask(here, 'modify_config', '{"streams":{"cam1":{"prepush":6}}}');
  await shows(page, '.entry-page', 'Somebody else has changed');
  await replace(page, '# the spare', '# spare');
  await page.waitForFunction(() => JSON.stringify({ ...sessionStorage }).includes('# spare'));
  await page.reload();
  await page.waitForSelector('.login');
  await logIn(page, EDITOR);
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('# spare'));
});

test('of a file with carriage returns only the line changes that was edited', options, async () => {
  const lines = EXAMPLE.replaceAll('\n', '\r\n');
  here.editByHand(() => lines);
  await here.stop();
  await here.start();
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 7');
  await press(page, 'Review');
  await shows(page, '#tray .added', 'prepush 7;');
  assert.deepEqual(await page.$$eval('#tray .diff :is(.added, .removed)', (found) => found.length), 2);
  await press(page, 'Apply');
  await until(() => here.text.includes('prepush 7'), 'the edit');
  assert.equal(here.text, lines.replace('prepush 5', 'prepush 7'));
});

test('edits go on where another client gives the login another name', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 77');
  await ask(here, 'modify_config', '{"edit_auth":{"login":"boss"}}');
  await page.waitForSelector('#confirm input[type=password]');
  await page.$eval('#confirm input:not([type=password])', (login) => { /** @type {HTMLInputElement} */ (login).value = 'boss'; });
  await page.type('#confirm input[type=password]', EDITOR.password);
  await page.keyboard.press('Enter');
  await shows(page, '#head', 'boss');
  await shows(page, '#tray', '1 edit');
  await press(page, 'Review');
  await shows(page, '#tray .added', 'prepush 77;');
});

test('a viewer in the same tab is not shown the edits, and does not remove them', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 77');
  await page.waitForFunction(() => JSON.stringify({ ...sessionStorage }).includes('prepush 77'));
  await page.reload();
  await page.waitForSelector('.login');
  await logIn(page, VIEWER);
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('prepush 5'));
  await press(page, 'Log out');
  await page.waitForSelector('.login');
  await logIn(page, EDITOR);
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('prepush 77'));
});

test('a block that is still open survives a reload; a secret in it does not', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5;', 'prepush 7;\n  auth {\n    title open;\n    password hunter2');
  await page.waitForFunction(() => JSON.stringify({ ...sessionStorage }).includes('title open;'));
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).includes('hunter2'));
  await page.reload();
  await page.waitForSelector('.login');
  await logIn(page, EDITOR);
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('password <secret:retype>'));
  assert.match(await page.$eval('.area', (area) => /** @type {HTMLTextAreaElement} */ (area).value), /prepush 7;\n +auth \{\n +title open;\n/);
});

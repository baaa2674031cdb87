// What keys, focus and choices must not do: keep a change that nobody meant to keep, or be taken for another edit.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EDITOR, EXAMPLE, ask, enter, fill, press, replace, review, shows } from './entered.js';
import { inBrowser, options, until } from './served.js';

const here = inBrowser(EXAMPLE, { each: true });

test('who types on presses nothing that came meanwhile', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 7');
  await review(page);
  await page.waitForFunction(() => !document.querySelector('#change .apply .primary')?.disabled);
  await page.focus('.area');
  await page.keyboard.down('Control');
  await page.keyboard.press('Enter');
  await page.keyboard.up('Control');
  await page.waitForFunction(() => document.querySelector('#confirm button'));
  await page.keyboard.type(' # at the north gate', { delay: 60 });
  assert.ok(here.text.includes('prepush 7'));
  const { pending } = JSON.parse((await here.ask('status', { password: EDITOR.password })).text);
  assert.ok(pending, 'nobody has kept it');
  await press(page, 'Roll back');
  await page.waitForSelector('#confirm[hidden]');
  await page.waitForFunction(() => document.activeElement?.id === 'main');
});

/** Sets a value of the first stream. @param {import('puppeteer-core').Page} page @param {string} path */
async function set(page, path) {
  await page.waitForSelector('.rows .row input');
  // The rows may be drawn again meanwhile.
  await page.evaluate(() => /** @type {HTMLElement} */ (document.querySelector('.rows .row input')).click());
  await fill(page, path, '5');
  await press(page, 'Prepare');
}

test('a guard is accepted for the edit that was shown, and the undo time is on again', options, async () => {
  const page = await enter(here, '#/streams');
  await set(page, 'titel');
  await press(page, 'Review');
  await shows(page, '#change .problem', 'did you mean `title`?');
  assert.doesNotMatch(await page.$eval('#change .problem', (problem) => problem.textContent), /--/);
  await press(page, 'Use this name anyway');
  await page.waitForSelector('#change .diff');
  await page.click('.undo input[type=checkbox]');
  await set(page, 'prepus');
  await press(page, 'Review');
  await press(page, 'Use this name anyway');
  await page.waitForSelector('#change .diff');
  await press(page, 'Apply');
  await until(() => here.text.includes('prepus 5'), 'the change');
  await page.waitForSelector('#change[hidden]');
  await set(page, 'title');
  await review(page);
  assert.equal(await page.$eval('.undo input[type=checkbox]', (box) => box.checked), true);
});

test('a secret in the path of many is not shown', options, async () => {
  const page = await enter(here, '#/streams');
  const secret = 'not-real-either';
  await set(page, `urls[url="rtsp://camera:${secret}@10.0.0.1/h264"].tracks`);
  await press(page, 'Review');
  await page.waitForSelector('#change .problem, #change .diff');
  assert.ok(!(await page.$eval('#change', (tray) => new XMLSerializer().serializeToString(tray))).includes(secret));
});

test('where a page cannot copy the command, the command is selected', options, async () => {
  const page = await enter(here, '#/streams');
  // As at an address without TLS, and in a browser that copies nothing by itself.
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.execCommand = () => false;
  });
  await set(page, 'title');
  await review(page);
  await page.$eval('#change details', (details) => { details.open = true; });
  await press(page, 'Copy');
  await shows(page, '#change output', 'It is selected');
  const [selected, command] = await page.evaluate(() => [String(getSelection()), document.querySelector('#change pre code')?.textContent]);
  assert.equal(selected.trim(), command?.trim());
  assert.match(selected, /--set/);
});

test('a guard is accepted for an edit of an earlier configuration', options, async () => {
  const page = await enter(here, '#/streams');
  await set(page, 'titel');
  await ask(here, 'modify_config', '{"streams":{"cam1":{"prepush":6}}}');
  await press(page, 'Review');
  await press(page, 'Use this name anyway');
  await shows(page, '#change .added', 'titel 5;');
  await press(page, 'Apply');
  await until(() => here.text.includes('titel 5;') && here.text.includes('prepush 6;'), 'both changes');
});

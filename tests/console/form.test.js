// The form of a stream and its text: what is typed in one shows in the other.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { directives, moved, withWords } from '../../src/http/console/form.js';
import { EXAMPLE, enter, press, replace, shows } from './entered.js';
import { inBrowser, options, until } from './served.js';

const here = inBrowser(EXAMPLE, { each: true });

test('directives are put into the text, and nothing else changes', () => {
  const text = 'stream a {\n  url udp://1; # one\n  url udp://2 x=1;\n  push { url z; }\n}';
  for (const [made, wanted] of [
    [withWords(text, 'url', 0, 'udp://3'), text.replace('udp://1', 'udp://3')],
    [withWords(text, 'url', 0, undefined), text.replace('  url udp://1; # one\n', '')],
    [withWords(text, 'url', Infinity, 'udp://3'), text.replace('x=1;\n', 'x=1;\n  url udp://3;\n')],
    [withWords(text, 'title', 0, 'A'), text.replace('z; }\n', 'z; }\n  title A;\n')],
    [withWords(text, 'title', 0, undefined), text],
    [moved(text, 'url', 1, 0), text.replace('url udp://1; # one\n  url udp://2 x=1;', 'url udp://2 x=1;\n  url udp://1; # one')],
    [withWords('stream b { url udp://1; }', 'disabled', 0, ''), 'stream b { url udp://1; disabled; }'],
    [withWords('stream b { url udp://1; }', 'url', 0, undefined), 'stream b { }'],
    [withWords('stream b { }', 'title', 0, 'B'), 'stream b {\n  title B;\n}'],
    [withWords('live b;', 'title', 0, 'B'), 'live b {\n  title B;\n}'],
  ]) assert.equal(made, wanted);
  assert.deepEqual(directives(text).map(({ keyword, isBlock }) => `${keyword} ${isBlock}`), ['url false', 'url false', 'push true']);
});

/** @param {import('puppeteer-core').Page} page */
const value = (page, /** @type {string} */ selector) => page.$eval(selector, (field) => /** @type {HTMLInputElement} */ (field).value);

test('sources are moved, removed and added, and their comments go along', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await page.waitForSelector('[aria-label="Move down source 1"]');
  await page.click('[aria-label="Move down source 1"]');
  await shows(page, '.colours', 'url rtsp://192.0.2.12/h264 priority=2; # the spare\n  url rtsp://192.0.2.11');
  await page.click('[aria-label="Remove source 2"]');
  await page.waitForFunction(() => !document.querySelector('[aria-label="Source 2"]'));
  await page.type('#field-urls', 'udp://239.0.0.5:1');
  await page.keyboard.press('Enter');
  await shows(page, '.colours', '# the spare\n  url udp://239.0.0.5:1;');
  await page.type('[aria-label="Source 2"]', ' priority=3');
  await shows(page, '.colours', 'url udp://239.0.0.5:1 priority=3;');
  await page.click('#field-dvr');
  await shows(page, '.help', 'Archive');
  await page.keyboard.press('End');
  await page.keyboard.type(' 90%');
  await press(page, 'Review');
  await shows(page, '#change .added', 'dvr /storage/cam1 7d 90%;');
  await press(page, 'Apply');
  await until(() => here.text.includes('# the spare\n  url udp://239.0.0.5:1 priority=3;\n  auth http://auth.example.com/cameras;\n  prepush 5;\n  dvr /storage/cam1 7d 90%;'), 'the sources');
});

test('what is typed in the text shows in the form, and the other way round', options, async () => {
  const page = await enter(here, '#/streams/cam2');
  await page.waitForSelector('#field-title');
  assert.equal(await page.$('[aria-label="Source 1"]'), null, 'a source with a secret is not edited without it');
  await page.type('#field-title', 'Back door');
  await shows(page, '.colours', 'title "Back door";');
  await shows(page, '.colours', '<secret:');
  await press(page, 'Edit');
  await shows(page, '.colours', 'not-real');
  assert.equal(await value(page, '#field-title'), 'Back door');
  await replace(page, 'prepush off', 'prepush 8');
  await page.waitForFunction(() => document.querySelector('#field-prepush')?.value === '8');
  assert.equal(await value(page, '[aria-label="Source 1"]'), 'rtsp://camera:not-real@192.0.2.21/h264 aac=true');
  await page.select('#field-disabled', 'true');
  await shows(page, '.colours', 'disabled true;');
  await press(page, 'Review');
  await shows(page, '#change .added', 'title "Back door";');
  await press(page, 'Apply');
  await until(() => here.text.includes('prepush 8;') && here.text.includes('disabled true;') && here.text.includes('camera:not-real@'), 'the edit');
  const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  assert.doesNotMatch(stored, /not-real|Back door/);
});

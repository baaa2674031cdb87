// Two hundred streams are changed at once: one edit, one difference, one confirmation.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { noneWords } from '../../src/http/console/bulk.js';
import { fill } from './entered.js';
import { click, entered, goes, inBrowser, options, sees } from './served.js';

const CONF = `http 80;\nedit_auth admin right;\n${Array.from({ length: 400 }, (_, at) =>
  `stream cam${at} { url udp://239.0.${at % 2}.${at >> 1}:1; prepush 1; }`).join('\n')}\n`;

const served = inBrowser(CONF);

/** Marks all that a filter leaves. */
async function mark(page, filter, count = 200) {
  await page.waitForSelector('.rows .row');
  await page.type('.filter', filter);
  await sees(page, `${count} of`, '.count');
  await page.click('.titles input');
  await sees(page, `${count} marked`, '.many');
}

test('where a part is hidden, one is told that it cannot be replaced', () => {
  const rows = [{ url: 'rtsp://h/x' }, { url: 'rtsp://<secret:ab12cd>@h/x' }].map((source) => ({ own: { urls: [source], title: 't' } }));
  assert.match(noneWords(rows, 'urls.url'), /in urls\.url\. What is hidden there can’t/);
  for (const found of [noneWords(rows.slice(0, 1), 'urls.url'), noneWords(rows, 'title')]) assert.match(found, /^No marked stream has this text in [\w.]+\.$/);
});

test('two hundred are changed, looked at, and kept', options, async () => {
  const page = await entered(served);
  await mark(page, 'urls.url~239.0.1.');
  await fill(page, 'prepush', '7');
  await click(page, 'Prepare');
  await sees(page, 'Not sent: set prepush of 200 streams', '#change');
  await click(page, 'Review');
  await sees(page, 'prepush 7', '#change .diff');
  assert.match(served.text, /^(?!.*prepush 7)/s, 'nothing is sent before it is applied');
  await click(page, 'Apply', '#change button');
  await sees(page, 'It goes back in', '#confirm');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Keep');
  assert.equal(served.text.match(/prepush 7/g).length, 200);
  await page.keyboard.press('Enter');
  await goes(page, '#confirm');
  await goes(page, '#change');
  const history = JSON.parse((await served.ask('history')).text);
  assert.equal(history.length, 1, 'it was one change');
  assert.deepEqual(page.faults, []);
});

test('a text is replaced where it stands, and the page is loaded again before that is kept', options, async () => {
  const page = await entered(served);
  await mark(page, 'urls.url~239.0.0.');
  await page.select('.many-form select', 'replace in');
  await fill(page, 'urls.url', '239.9.9.');
  await page.type('.many-form [placeholder="old text"]', '239.0.0.');
  await click(page, 'Prepare');
  await click(page, 'Review');
  await sees(page, '239.9.9.', '#change .diff');
  await click(page, 'Apply', '#change button');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Keep');
  await page.reload();
  await sees(page, 'The change that you made goes back in', '.login');
  await page.type('input[name=password]', 'right');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Keep');
  await click(page, 'Roll back');
  await goes(page, '#confirm');
  assert.doesNotMatch(served.text, /239\.9\.9\./);
  assert.deepEqual(page.faults, []);
});

test('a typing error is told once, before and after it is prepared, and corrected', options, async () => {
  const page = await entered(served);
  await mark(page, 'urls.url~239.0.1.');
  await fill(page, 'prepsh', '9');
  await sees(page, 'did you mean `prepush`?', '.many .fault');
  await click(page, 'Prepare');
  await click(page, 'Review');
  await sees(page, 'did you mean `prepush`?', '#change .problem');
  assert.equal(await page.$$eval('#change .faults li', (items) => items.length), 1);
  await sees(page, 'other places', '#change .problem');
  await click(page, 'Use this name anyway');
  await sees(page, 'and 9 other places', '#change .warning');
  assert.equal(await page.$$eval('#change .warning', (told) => told.length), 2);
  await click(page, 'Discard', '#change button');
  await page.click('.titles input');
  await fill(page, 'prepush', 'x');
  await page.waitForFunction(() => document.querySelector('.many .fault').textContent.includes('prepush'));
  await page.focus('.many-form [placeholder=value]');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('9');
  await page.waitForFunction(() => !document.querySelector('.many .fault').textContent);
  await click(page, 'Prepare');
  await click(page, 'Review');
  await sees(page, 'prepush 9', '#change .diff');
  await page.$eval('#change details', (details) => { details.open = true; });
  const command = await page.$eval('#change pre code', (code) => code.textContent);
  assert.equal(command, `mediactl --url ${served.url} modify --yes \\\n  --where 'urls.url~239.0.1.' \\\n  --set 'streams.*.prepush=9' \\\n  --confirm 120s`);
});

test('the command for streams that no condition finds says how to get a short one', options, async () => {
  const page = await entered(served);
  await mark(page, 'cam1', 111);
  await fill(page, 'title', 'x');
  await click(page, 'Prepare');
  await click(page, 'Review');
  await sees(page, 'title x', '#change .diff');
  await page.$eval('#change details', (details) => { details.open = true; });
  assert.match(await page.$eval('#change pre code', (code) => code.textContent), /^# 111 streams: no condition of the filter .*\n.*modify --where/);
});

// What one sees first: places, the theme, a phone, a zoom of 400 %, and a server that takes its time.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EDITOR, EXAMPLE, apply, ask, enter, press, replace, review } from './entered.js';
import { goes, inBrowser, logIn, open, options, sees } from './served.js';

const here = inBrowser(EXAMPLE);

/** True if an element is whole in the window. */
const isInView = (page, selector) => page.$eval(selector, (found) => {
  const { top, bottom } = found.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight && found.contains(document.elementFromPoint(found.getBoundingClientRect().left + 3, (top + bottom) / 2));
});

test('a place that is none is not found, and the navigation has the one that is shown', options, async () => {
  const page = await enter(here, '');
  const current = () => page.$eval('#head [aria-current]', (link) => link.textContent);
  assert.equal(await current(), 'Streams');
  for (const hash of ['#/__proto__', '#/constructor', '#/toString/x']) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    await sees(page, 'There is no such page.', 'main');
    assert.equal(await page.$('#head [aria-current]'), null);
  }
  await page.evaluate(() => { location.hash = '#/streams/__proto__'; });
  await sees(page, 'there is no stream `__proto__`', '.problem');
  assert.equal((await page.$eval('.problem', (problem) => problem.textContent)).split('there is no').length, 2, 'it is said once');
  await page.evaluate(() => { location.hash = '#/templates/__proto__'; });
  await sees(page, 'there is no', '.problem');
  assert.equal(await page.$('.uses'), null, 'what is not there is used by nobody, and that is not said');
  await page.evaluate(() => { location.hash = '#/history'; });
  await page.waitForFunction(() => document.querySelector('#head [aria-current]')?.textContent === 'History');
});

test('the theme is that of the system until one chooses, and stays after a reload', options, async () => {
  const page = await enter(here, '', EDITOR, { scheme: 'light' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.select('#theme', 'dark');
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  await page.waitForSelector('.login');
  assert.equal(await ground(), dark);
  await logIn(page, EDITOR);
  await page.select('#theme', '');
  assert.equal(await ground(), light);
});

test('on a phone *Apply* is in view, however long the difference is', options, async () => {
  const page = await enter(here, '#/streams/cam1', EDITOR, { width: 360, height: 640 });
  await replace(page, 'prepush 5;', 'prepush 7;');
  await page.keyboard.type(Array.from({ length: 40 }, (_, at) => `\n# ${at}`).join(''));
  await press(page, 'Review');
  await sees(page, '# 39', '#change .diff');
  await page.waitForFunction(() => !document.querySelector('#change .apply .primary')?.disabled);
  assert.ok(await isInView(page, '#change .apply .primary'));
  await press(page, 'Apply');
  await sees(page, 'It goes back in', '#confirm');
  await press(page, 'Roll back');
  await goes(page, '#confirm');
});

test('at a zoom of 400 % the history can be read and used', options, async () => {
  for (const seconds of [6, 7, 8]) await ask(here, 'modify_config', `{"streams":{"cam1":{"prepush":${seconds}}}}`);
  const page = await enter(here, '#/history', EDITOR, { width: 320, height: 180 });
  await page.waitForSelector('.history-list li');
  for (const last of ['.history-list li:first-child a', '.history-list li:last-child a']) {
    await page.$eval(last, (link) => link.scrollIntoView({ block: 'center' }));
    assert.ok(await isInView(page, last), last);
  }
  await page.click('.history-list li:last-child a');
  await page.waitForSelector('.history-detail .diff');
  await page.$eval('.history-detail .removed', (line) => line.scrollIntoView({ block: 'center' }));
  assert.ok(await isInView(page, '.history-detail .removed'));
});

test('what takes longer than 300 ms says so', options, async () => {
  const page = await open(here, { hash: '#/history' });
  await page.setRequestInterception(true);
  let held = [];
  let slow = /api\/(history|blame)|status\.js|confirm_config/;
  page.on('request', (request) => {
    if (slow.test(request.url())) held.push(request);
    else request.continue();
  });
  const goOn = () => { held.forEach((request) => request.continue()); held = []; };
  await logIn(page, EDITOR);
  await sees(page, 'Loading …', 'main');
  goOn();
  await sees(page, 'Choose a change', 'main');
  await page.evaluate(() => { location.hash = '#/streams/cam1'; });
  await sees(page, 'Loading …', '.entry-page');
  goOn();
  await page.waitForSelector('.area');
  await page.evaluate(() => { location.hash = '#/status'; });
  await sees(page, 'Loading …', 'main');
  goOn();
  await sees(page, 'Figures', 'main');
  await page.evaluate(() => { location.hash = '#/streams/cam1'; });
  await page.waitForFunction(() => location.hash === '#/streams/cam1');
  while (!held.length) await new Promise((done) => { setTimeout(done, 20); });
  goOn();
  await replace(page, 'prepush 8', 'prepush 9');
  await review(page);
  await apply(page);
  await press(page, 'Keep');
  await sees(page, 'Waiting for the server …', '#confirm');
  goOn();
  await goes(page, '#confirm');
  slow = /none/;
  goOn();
  await page.evaluate(() => { location.hash = '#/history'; });
  await page.waitForSelector('.history-list li');
  await page.click('.history-list li:first-child a');
  await press(page, 'Revert');
  await page.waitForSelector('.history-detail .apply');
  slow = /api\/change/;
  await press(page, 'Revert');
  await sees(page, 'The change is being made …', '.history-detail');
  goOn();
  await sees(page, 'is undone', '.history-detail');
});

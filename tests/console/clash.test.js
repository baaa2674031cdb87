// An edit, and what somebody else changed since: the server merges both, and of what both changed one chooses.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EXAMPLE, apply, ask, enter, press, replace, review, shows } from './entered.js';
import { inBrowser, options, until } from './served.js';

const here = inBrowser(EXAMPLE, { each: true });

test('the server merges the change of somebody else, and of the same value one chooses', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 7');
  await ask(here, 'modify_config', '{"streams":{"cam1":{"dvr":null}}}');
  await shows(page, '.entry-page', 'Somebody else has changed');
  await press(page, 'Review');
  await shows(page, '#change .added', 'prepush 7;');
  assert.equal(await page.$('#change .clashes'), null, 'different lines are merged');
  assert.equal(await page.$$eval('#change .removed', (lines) => lines.length), 1);
  await ask(here, 'modify_config', '{"streams":{"cam1":{"prepush":6}}}');
  await shows(page, '#change .clash dt', '/streams/cam1/prepush');
  assert.deepEqual(await page.$$eval('#change .clash dd', (sides) => sides.map((side) => side.textContent)), ['Before 5', 'Theirs 6', 'Yours 7']);
  await press(page, 'Use mine');
  await shows(page, '#change .removed', 'prepush 6;');
  await press(page, 'Apply');
  await until(() => here.text.includes('prepush 7;'), 'mine');
});

test('a secret that was typed is masked where one chooses', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5;', 'password hunter2; # typed');
  await ask(here, 'modify_config', '{"streams":{"cam1":{"password":"other3"}}}');
  await press(page, 'Review');
  await shows(page, '#change .clash dd', 'Yours <secret:');
  assert.doesNotMatch(await page.$eval('#change', (bar) => bar.textContent ?? ''), /hunter2|other3/);
  await press(page, 'Use mine');
  await page.waitForSelector('#change .diff');
  await apply(page);
  assert.ok(here.text.includes('password hunter2; # typed'));
});

test('two pages against each other: nothing is overwritten', options, async () => {
  const [one, other] = [await enter(here, '#/streams/cam1'), await enter(here, '#/streams/cam1')];
  await replace(one, 'prepush 5', 'prepush 6');
  await replace(other, 'prepush 5', 'prepush 7');
  for (const page of [one, other]) await review(page);
  await one.click('.undo input[type=checkbox]');
  await press(one, 'Apply');
  await until(() => here.text.includes('prepush 6'), 'the first');
  await other.waitForSelector('#change .clashes');
  assert.ok(here.text.includes('prepush 6'));
  await press(other, 'Use theirs');
  await other.waitForSelector('#change[hidden]');
});

test('a hand edit of the file is kept, and of the same value one chooses', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await page.waitForSelector('#field-prepush');
  await page.$eval('#field-prepush', (input) => { /** @type {HTMLInputElement} */ (input).select(); });
  await page.type('#field-prepush', '8');
  here.editByHand((text) => text.replace('prepush 5;', 'prepush 4;').replace('rtmp 1935;', 'rtmp 1936;'));
  await until(async () => (await ask(here, 'status')).state.includes('edited-by-hand'), 'the hand edit');
  await press(page, 'Review');
  await page.waitForSelector('#change .clashes');
  await press(page, 'Use mine');
  await page.waitForSelector('#change .diff');
  await press(page, 'Apply');
  await until(() => here.text.includes('prepush 8;') && here.text.includes('rtmp 1936;'), 'both edits');
});

test('a text stays where somebody else removed its stream, and adds it again', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 6');
  await ask(here, 'modify_config', '{"streams":{"cam1":null}}');
  await shows(page, '.entry-page', 'there is no stream');
  await page.waitForSelector('.area');
  await press(page, 'Review');
  await press(page, 'Use mine');
  await shows(page, '#change .added', 'prepush 6;');
  await apply(page);
  assert.match(here.text, /\nstream cam1 \{[^}]*prepush 6;[^}]*\}\n$/);
  await page.waitForFunction(() => !document.querySelector('.entry-page')?.textContent?.includes('there is no stream'));
});

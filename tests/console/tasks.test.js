// The ten tasks of an operator, each by clicks and keys, which are counted and told.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CONF, agree, ask, enter, fill, keep, named, press, replace, shows } from './entered.js';
import { click, inBrowser, options, sees, until } from './served.js';

/** @typedef {import('puppeteer-core').Page} Page */

const here = inBrowser(CONF, { each: true });

/** Counts what the mouse and the keyboard do from now on. @param {Page} page */
function counted(page) {
  const tally = { clicks: 0, keys: 0, start: performance.now() };
  const [button, key] = [page.mouse.down.bind(page.mouse), page.keyboard.down.bind(page.keyboard)];
  page.mouse.down = (...how) => { tally.clicks += 1; return button(...how); };
  page.keyboard.down = (...how) => { tally.keys += 1; return key(...how); };
  return tally;
}

/** Applies and keeps what is shown. @param {Page} page @param {string} line of the difference */
async function make(page, line) {
  await agree(here, page, line);
  await keep(page);
}

/** @param {Page} page @param {string} from @param {string} to */
async function edit(page, from, to) {
  await replace(page, from, to);
  await press(page, 'Review');
  await make(page, to);
}

/** Sets a value of all streams of the list. @param {Page} page @param {string} path @param {string} value @param {string} [typo] */
async function bulk(page, path, value, typo) {
  await page.waitForSelector('.rows .row');
  await page.click('.titles input');
  await fill(page, typo ?? path, value);
  if (typo) {
    await sees(page, `did you mean \`${path}\`?`, '.many .fault');
    await page.click('.many-form input[list]', { count: 3 });
    await page.keyboard.type(path);
    await page.waitForFunction(() => !document.querySelector('.many .fault')?.textContent);
  }
  await press(page, 'Prepare');
  await press(page, 'Review');
  await make(page, `${path} ${value}`);
}

/** What is done, where, how, and what the file then has or has no longer. @type {[string, string, (page: Page) => Promise<unknown>, RegExp, RegExp?][]} */
const TASKS = [
  ['change', '#/streams/cam1', (page) => edit(page, 'prepush 5;', 'prepush 6;'), /prepush 6;/],
  ['bulk', '#/streams', (page) => bulk(page, 'title', 'x'), /cam2 \{[^}]*title x;/],
  ['bulk with a typo', '#/streams', (page) => bulk(page, 'prepush', '9', 'prepsh'), /cam2 \{[^}]*prepush 9;/, /prepsh/],
  ['disable', '#/streams/cam2', async (page) => {
    await page.waitForSelector('#field-disabled');
    await page.click('#field-disabled');
    await page.keyboard.type('on');
    await page.keyboard.press('Enter');
    await press(page, 'Review');
    await make(page, 'disabled;');
  }, /cam2 \{[^}]*\n {2}disabled;\n\}/],
  ['typo, then fix', '#/streams/cam1', async (page) => {
    await replace(page, 'prepush 5;', 'prepsh 5;');
    await shows(page, '.faults', 'prepush');
    await edit(page, 'prepsh 5;', 'prepush 7;');
  }, /prepush 7;/, /prepsh/],
  ['rename', '#/streams/cam1', (page) => named(here, page, 'Rename', 'lobby', 'stream lobby {'), /stream lobby \{/, /stream cam1/],
  ['remove', '#/streams/cam2', async (page) => {
    await press(page, 'Remove');
    await make(page, 'stream cam2 {');
  }, /cam1/, /cam2/],
  ['add', '#/streams', (page) => named(here, page, 'Add', 'cam7', 'stream cam7'), /stream cam7/],
  ['undo one change', '#/history/1', async (page) => {
    await press(page, 'Revert');
    await shows(page, '.history-detail .added', 'prepush 5;');
    await press(page, 'Revert');
  }, /prepush 5;[^]*title News;/],
  ['edit a template', '#/templates', async (page) => {
    await click(page, 'base');
    await edit(page, 'prepush 3;', 'prepush 4;');
  }, /template base \{\n {2}prepush 4;/],
];

for (const [name, hash, act, has, lacks] of TASKS) {
  test(name, options, async (context) => {
    if (hash === '#/history/1') {
      await ask(here, 'modify_config', '{"streams":{"cam1":{"prepush":6}}}');
      await ask(here, 'modify_config', '{"streams":{"news":{"title":"News"}}}');
    }
    const page = await enter(here, hash);
    const tally = counted(page);
    await act(page);
    await until(() => has.test(here.text), 'the edit');
    if (lacks) assert.doesNotMatch(here.text, lacks);
    context.diagnostic(`${tally.clicks} clicks, ${tally.keys} keys, ${((performance.now() - tally.start) / 1000).toFixed(1)} s`);
  });
}

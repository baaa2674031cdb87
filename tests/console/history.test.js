// The history: going back makes what was shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EXAMPLE, ask, enter, press, shows } from './entered.js';
import { inBrowser, options, until } from './served.js';

const here = inBrowser(EXAMPLE, { each: true });

const prepush = (/** @type {number} */ seconds) => ask(here, 'modify_config', `{"streams":{"cam1":{"prepush":${seconds}}}}`);

test('going back after a change of somebody else shows the new difference, once, and is made of that', options, async () => {
  await prepush(6);
  const page = await enter(here, '#/history/1');
  await press(page, 'Go back to before change 1');
  await shows(page, '.history-detail .removed', 'prepush 6;');
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

// From an edit to a change: the text, the values, the bar, clashes, and what survives.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { EDITOR, EXAMPLE, apply, ask, enter, press, replace, review, shows } from './entered.js';
import { answers, click, inBrowser, options, until } from './served.js';

const here = inBrowser(EXAMPLE, { each: true });

test('a line is changed, the diff comes first, and the change waits to be kept', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 9');
  assert.ok(!here.text.includes('prepush 9'));
  await press(page, 'Review');
  await shows(page, '#change .removed', 'prepush 5;');
  await shows(page, '#change .added', 'prepush 9;');
  assert.ok(!here.text.includes('prepush 9'), 'the review changes nothing');
  await page.type('.why input', 'more buffer');
  await press(page, 'Apply');
  await until(() => here.text.includes('  prepush 9;\n'), 'the new text');
  await shows(page, '#confirm', 'more buffer');
  const { pending } = await ask(here, 'status');
  assert.equal(pending.message, 'more buffer');
  assert.ok(pending.seconds_left > 0 && pending.seconds_left <= 120);
  assert.equal(here.text.replace('prepush 9', 'prepush 5'), EXAMPLE, 'all else stays');
});

test('the word at the cursor is explained, and faults show while typing and are fixed with a click', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'titel 5');
  await shows(page, '.faults', 'titel');
  await press(page, 'Fix');
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('title 5;'));
  await page.waitForFunction(() => document.querySelector('.faults')?.childElementCount === 0);
});

test('an edit is left only if one says so, and a reload is asked for, too', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  /** @type {string[]} */
  const asked = [];
  let isLeft = false;
  page.removeAllListeners('dialog');
  page.on('dialog', (dialog) => {
    asked.push(`${dialog.type()} ${dialog.message()}`);
    return isLeft ? dialog.accept() : dialog.dismiss();
  });
  await press(page, 'Edit');
  await page.waitForSelector('.area:not([readonly])');
  await press(page, 'Cancel');
  await page.waitForSelector('.area[readonly]');
  assert.deepEqual(asked, [], 'nothing was edited');
  await replace(page, 'prepush 5', 'prepush 7');
  for (const [number, leave] of ['History', 'Cancel', 'Discard', 'Log out', 'Remove'].entries()) {
    if (leave === 'Discard') {
      await press(page, 'Review');
      // What is shown moves the buttons.
      await page.waitForSelector('#change .diff');
    }
    await click(page, leave);
    await until(() => asked.length > number, `the question before ${leave}`);
  }
  assert.deepEqual(asked, Array(5).fill('confirm The edit of streams.cam1 is not sent. Discard it?'));
  assert.equal(await page.evaluate(() => location.hash), '#/streams/cam1');
  assert.match(await page.$eval('.area', (area) => /** @type {HTMLTextAreaElement} */ (area).value), /prepush 7/);
  await page.evaluate(() => { setTimeout(() => location.reload()); });
  await until(() => asked.length > 5, 'the question before a reload');
  assert.match(asked[5] ?? '', /^beforeunload/);
  assert.equal(await page.evaluate(() => JSON.stringify({ ...sessionStorage }).includes('prepush')), false);
  isLeft = true;
  await click(page, 'History');
  await page.waitForSelector('#change[hidden]');
  await shows(page, 'h1', 'History');
  assert.equal(here.text, EXAMPLE);
});

test('values are edited without the text, which shows them', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await page.waitForSelector('#field-title');
  await page.type('#field-title', 'one');
  await shows(page, '.colours', 'title one;');
  assert.doesNotMatch(here.text, /title/);
  await press(page, 'Undo');
  await page.waitForSelector('#change[hidden]');
  assert.equal(await page.$eval('#field-title', (field) => /** @type {HTMLInputElement} */ (field).value), '');
  await press(page, 'Edit');
  await page.waitForSelector('.area:not([readonly])');
});

test('a lost connection loses no edit', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 7');
  await here.stop('SIGKILL');
  await press(page, 'Review');
  await shows(page, '#change .problem', 'does not answer');
  await here.start();
  await page.waitForSelector('#change .diff');
  await press(page, 'Apply');
  await until(() => here.text.includes('prepush 7'), 'the edit');
});

/** A page at the account in the text. */
async function ownAccount() {
  const page = await enter(here, '#/text');
  await shows(page, '.text-row', 'edit_auth admin');
  await page.click('[data-line="12"] code');
  await page.waitForSelector('.text-side .area');
  return page;
}

test('the own password is changed, asked for under the countdown, and kept', options, async () => {
  const page = await ownAccount();
  await replace(page, EDITOR.password, 'another-word');
  await review(page);
  await apply(page);
  assert.match(here.text, /edit_auth admin another-word;/);
  await answers(page, 'another-word');
  await page.waitForSelector('#confirm[hidden]');
  const { status, text } = await here.ask('status', { password: 'another-word' });
  assert.equal(status, 200);
  assert.equal(JSON.parse(text).pending, null);
});

test('an own login that gets another name is asked for by that name', options, async () => {
  const page = await ownAccount();
  await replace(page, 'edit_auth admin', 'edit_auth boss');
  await review(page);
  await apply(page);
  await page.waitForSelector('#confirm input[type=password]');
  assert.equal(await page.$eval('#confirm input:not([type=password])', (login) => /** @type {HTMLInputElement} */ (login).value), 'boss');
  await answers(page, EDITOR.password);
  await page.waitForSelector('#confirm[hidden]');
  assert.match(here.text, /edit_auth boss not-a-real-password;/);
  await shows(page, '#head', 'boss');
});

test('a reload command that fails loses the edit not, and what it said stays', options, async () => {
  await here.stop();
  const isTyped = `${here.folder}/typed`;
  await here.start(['--reload-cmd', `until [ -e ${isTyped} ]; do sleep 0.1; done; ! grep -q "prepush 66" "$MEDIACTL_TEXT"`]);
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 66');
  await review(page);
  await press(page, 'Apply');
  await shows(page, '#change .result', 'is being made');
  assert.ok(await page.$eval('#main', (main) => /** @type {HTMLElement} */ (main).inert), 'nothing is edited meanwhile');
  writeFileSync(isTyped, '');
  await shows(page, '#change .problem', 'reload command failed');
  await shows(page, '#change .added', 'prepush 66');
  assert.equal(here.text, EXAMPLE);
});

test('only what was shown is applied, once for each press of the keys, with a valid time', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 6');
  await page.keyboard.down('Control');
  for (let times = 0; times < 8; times += 1) {
    await page.keyboard.down('Enter');
    await page.waitForSelector('#change .diff');
  }
  await page.keyboard.up('Enter');
  assert.equal(here.text, EXAMPLE);
  await page.$eval('.undo input[type=number]', (field) => { /** @type {HTMLInputElement} */ (field).value = '3'; });
  await page.keyboard.press('Enter');
  await page.keyboard.up('Control');
  assert.equal((await ask(here, 'status')).pending, null);
  await page.evaluate(() => {
    const area = /** @type {HTMLTextAreaElement} */ (document.querySelector('.area'));
    area.value = area.value.replace('prepush 6', 'prepush 66');
    area.dispatchEvent(new Event('input'));
  });
  await page.waitForFunction(() => /** @type {HTMLButtonElement} */ (document.querySelector('.apply .primary')).disabled
    || document.querySelector('#change .added')?.textContent?.includes('prepush 66'));
  assert.equal(here.text, EXAMPLE);
});

test('of a file with carriage returns only the line changes that was edited', options, async () => {
  const lines = EXAMPLE.replaceAll('\n', '\r\n');
  here.editByHand(() => lines);
  await here.stop();
  await here.start();
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 7');
  await press(page, 'Review');
  await shows(page, '#change .added', 'prepush 7;');
  assert.deepEqual(await page.$$eval('#change .diff :is(.added, .removed)', (found) => found.length), 2);
  await press(page, 'Apply');
  await until(() => here.text.includes('prepush 7'), 'the edit');
  assert.equal(here.text, lines.replace('prepush 5', 'prepush 7'));
});

test('the edit goes on where another client gives the login another name', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 77');
  await ask(here, 'modify_config', '{"edit_auth":{"login":"boss"}}');
  await page.waitForSelector('#confirm input[type=password]');
  await page.$eval('#confirm input:not([type=password])', (login) => { /** @type {HTMLInputElement} */ (login).value = 'boss'; });
  await answers(page, EDITOR.password);
  await shows(page, '#head', 'boss');
  await press(page, 'Review');
  await shows(page, '#change .added', 'prepush 77;');
});

test('a server that is started again has other masks, and takes the edit', options, async () => {
  const page = await ownAccount();
  await replace(page, 'edit_auth ', 'edit_auth   ');
  await here.stop('SIGKILL');
  await here.start();
  await press(page, 'Review');
  await shows(page, '#change .added', 'edit_auth   admin');
});

test('the text that is shown has the masks of the server that runs', options, async () => {
  const page = await enter(here, '#/text');
  const shown = () => page.$$eval('.text-row', (rows) => rows.map((row) => /<secret:\w+>/.exec(row.textContent ?? '')?.[0]).find(Boolean));
  await shows(page, '.text-row', 'edit_auth admin <secret:');
  const old = await shown();
  await here.stop('SIGKILL');
  await shows(page, '#head', 'no connection');
  await here.start();
  await page.waitForFunction((mask) => {
    const text = document.querySelector('.text-lines')?.textContent ?? '';
    return text.includes('<secret:') && !text.includes(mask);
  }, {}, old);
});

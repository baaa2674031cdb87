// From an edit to a change: the text, the values, the tray, conflicts, and what survives.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { EDITOR, EXAMPLE, apply, ask, enter, press, replace, shows } from './entered.js';
import { inBrowser, logIn, options, until } from './served.js';

const here = inBrowser(EXAMPLE, { each: true });

test('a line is changed, the diff comes first, and the change waits to be kept', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 9');
  assert.ok(!here.text.includes('prepush 9'));
  await press(page, 'Review');
  await shows(page, '#tray .removed', 'prepush 5;');
  await shows(page, '#tray .added', 'prepush 9;');
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

test('faults show while typing, and are fixed with a click', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'titel 5');
  await shows(page, '.faults', 'titel');
  await press(page, 'Fix');
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('title 5;'));
  await page.waitForFunction(() => document.querySelector('.faults')?.childElementCount === 0);
});

test('the word at the cursor is explained', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 6');
  await shows(page, '.help', 'buffered');
  await shows(page, '.help', 'prepush');
});

test('edits survive a reload; a secret that was typed does not', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5;', 'prepush 7;\n  password hunter2;');
  await page.waitForFunction(() => JSON.stringify({ ...sessionStorage }).includes('password <secret:retype>'));
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).includes('hunter2'));
  await page.reload();
  await page.waitForSelector('.login');
  await logIn(page, EDITOR);
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('prepush 7;'));
  await press(page, 'Review');
  await shows(page, '#tray .problem', 'type it again');
  await replace(page, '<secret:retype>', 'hunter3');
  await page.waitForSelector('#tray .diff');
  await press(page, 'Apply');
  await until(() => here.text.includes('password hunter3;'), 'the secret that was typed again');
  // The server has the text before the page has the answer.
  await page.waitForFunction(() => sessionStorage.getItem('mediactl-edits edit') === null);
});

test('a change of somebody else is merged, and the same line is chosen', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 7');
  await ask(here, 'modify_config', '{"streams":{"cam1":{"dvr":null}}}');
  await press(page, 'Review');
  await shows(page, '#tray .added', 'prepush 7;');
  assert.equal(await page.$('#tray .clashes'), null, 'different lines are merged');
  await ask(here, 'modify_config', '{"streams":{"cam1":{"prepush":6}}}');
  await page.waitForSelector('#tray .clashes');
  for (const text of ['prepush 5', 'prepush 6', 'prepush 7']) await shows(page, '#tray .clashes code', text);
  await page.click('.clashes input[value=mine]');
  await press(page, 'Use these choices');
  await shows(page, '#tray .removed', 'prepush 6;');
  await press(page, 'Apply');
  await until(() => here.text.includes('prepush 7;'), 'mine');
});

test('a secret that was typed is hidden where one chooses between lines', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5;', 'password hunter2; # typed');
  await ask(here, 'modify_config', '{"streams":{"cam1":{"prepush":6}}}');
  await press(page, 'Review');
  await shows(page, '#tray .clashes code', 'password <secret:retype>; # typed');
  assert.ok(!(await page.$eval('#tray', (tray) => tray.textContent)).includes('hunter2'));
  await page.click('.clashes input[value=mine]');
  await press(page, 'Use these choices');
  await page.waitForSelector('#tray .diff');
  await press(page, 'Apply');
  await until(() => here.text.includes('password hunter2; # typed'), 'the secret that was typed');
});

test('two pages against each other: nothing is overwritten', options, async () => {
  const [one, other] = [await enter(here, '#/streams/cam1'), await enter(here, '#/streams/cam1')];
  await replace(one, 'prepush 5', 'prepush 6');
  await replace(other, 'prepush 5', 'prepush 7');
  await press(one, 'Review');
  await one.waitForSelector('#tray .diff');
  await press(other, 'Review');
  await other.waitForSelector('#tray .diff');
  await one.click('.undo input[type=checkbox]');
  await press(one, 'Apply');
  await until(() => here.text.includes('prepush 6'), 'the first');
  await other.waitForSelector('#tray .clashes');
  assert.ok(here.text.includes('prepush 6'));
  await other.click('.clashes input[value=theirs]');
  await press(other, 'Use these choices');
  await other.waitForFunction(() => document.querySelector('#tray')?.hasAttribute('hidden'));
});

test('a lost connection loses no edit', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 7');
  await here.stop('SIGKILL');
  await press(page, 'Review');
  await shows(page, '#tray .problem', 'does not answer');
  await here.start();
  await page.waitForSelector('#tray .diff');
  await press(page, 'Apply');
  await until(() => here.text.includes('prepush 7'), 'the edit');
});

test('the command has the same effect', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await page.waitForSelector('#field-title');
  await page.type('#field-title', "it's");
  await press(page, 'Review');
  await page.waitForSelector('#tray .diff');
  const command = await page.$eval('#tray pre code', (code) => code.textContent);
  assert.match(command ?? '', /modify --yes .*\n.*--set-string 'streams\.cam1\.title=it'\\''s'/);
});

test('a server that is killed while a change is pending takes it back', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 9');
  await apply(page);
  await page.waitForSelector('#confirm:not([hidden]) button');
  await here.stop('SIGKILL');
  await shows(page, '#confirm', 'no connection');
  await here.start();
  await until(() => here.text === EXAMPLE, 'the text before');
  await page.waitForSelector('#confirm[hidden]');
});

test('a hand edit of the file is kept, and of the same value one chooses', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await page.waitForSelector('#field-prepush');
  await page.$eval('#field-prepush', (input) => { /** @type {HTMLInputElement} */ (input).select(); });
  await page.type('#field-prepush', '8');
  here.editByHand((text) => text.replace('prepush 5;', 'prepush 4;').replace('rtmp 1935;', 'rtmp 1936;'));
  await until(async () => (await ask(here, 'status')).state.includes('edited-by-hand'), 'the hand edit');
  await press(page, 'Review');
  await page.waitForSelector('#tray .clashes');
  await page.click('.clashes input[value=mine]');
  await press(page, 'Use these choices');
  await page.waitForSelector('#tray .diff');
  await press(page, 'Apply');
  await until(() => here.text.includes('prepush 8;') && here.text.includes('rtmp 1936;'), 'both edits');
});

test('the own password is changed, asked for under the countdown, and kept', options, async () => {
  const page = await enter(here, '#/text');
  await shows(page, '.text-row', 'edit_auth admin');
  await page.click('[data-line="12"] code');
  await page.waitForSelector('.text-side .area');
  const old = await page.$eval('.area', (area) => /<secret:\w+>/.exec(area.value)[0]);
  await replace(page, old, 'another-word');
  await apply(page);
  await page.waitForSelector('#confirm input[type=password]');
  assert.match(here.text, /edit_auth admin another-word;/);
  await page.type('#confirm input[type=password]', 'another-word');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#confirm[hidden]');
  const { status, text } = await here.ask('status', { password: 'another-word' });
  assert.equal(status, 200);
  assert.equal(JSON.parse(text).pending, null);
});

test('an own login that gets another name is asked for by that name', options, async () => {
  const page = await enter(here, '#/text');
  await shows(page, '.text-row', 'edit_auth admin');
  await page.click('[data-line="12"] code');
  await page.waitForSelector('.text-side .area');
  await replace(page, 'edit_auth admin', 'edit_auth boss');
  await apply(page);
  await page.waitForSelector('#confirm input[type=password]');
  assert.equal(await page.$eval('#confirm input:not([type=password])', (login) => /** @type {HTMLInputElement} */ (login).value), 'boss');
  await page.type('#confirm input[type=password]', EDITOR.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#confirm[hidden]');
  assert.match(here.text, /edit_auth boss not-a-real-password;/);
  await shows(page, '#head', 'boss');
});

test('values and texts of several streams are one change', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, '# the spare', '# spare');
  await page.evaluate(() => { location.hash = '#/streams/news'; });
  await shows(page, 'h1', 'news');
  await page.waitForSelector('#field-title');
  await page.type('#field-title', 'News');
  await apply(page, 'both');
  await until(() => here.text.includes('# spare') && here.text.includes('title News;'), 'both');
  const history = await ask(here, 'history');
  assert.equal(history.length, 1);
});

test('a reload command that fails loses no edit, and what it said stays', options, async () => {
  await here.stop();
  const isTyped = `${here.folder}/typed`;
  await here.start(['--reload-cmd', `until [ -e ${isTyped} ]; do sleep 0.1; done; ! grep -q "prepush 66" "$MEDIACTL_TEXT"`]);
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 66');
  await press(page, 'Review');
  await page.waitForSelector('#tray .diff');
  await press(page, 'Apply');
  await shows(page, '#tray .result', 'is being made');
  await replace(page, '# the spare', '# spare');
  writeFileSync(isTyped, '');
  await shows(page, '#tray .problem', 'reload command failed');
  await shows(page, '#tray .added', 'prepush 66');
  await shows(page, '#tray .added', '# spare');
  assert.equal(here.text, EXAMPLE);
});

test('only what was shown is applied, once for each press of the keys, with a valid time', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 6');
  await page.keyboard.down('Control');
  for (let times = 0; times < 8; times += 1) {
    await page.keyboard.down('Enter');
    await page.waitForSelector('#tray .diff');
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
    || document.querySelector('#tray .added')?.textContent?.includes('prepush 66'));
  assert.equal(here.text, EXAMPLE);
});

test('a text stays where somebody else removed its stream, over a reload too, and adds it again', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await replace(page, 'prepush 5', 'prepush 6');
  await ask(here, 'modify_config', '{"streams":{"cam1":null}}');
  await shows(page, '.entry-page', 'there is no stream');
  await page.waitForSelector('.area');
  await press(page, 'Review');
  await page.waitForSelector('#tray .clashes');
  await page.click('.clashes input[value=mine]');
  await press(page, 'Use these choices');
  await shows(page, '#tray .added', 'prepush 6;');
  await page.waitForFunction(() => JSON.stringify({ ...sessionStorage }).includes('prepush 6;'));
  await page.reload();
  await page.waitForSelector('.login');
  await logIn(page, EDITOR);
  await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('stream cam1'));
  await apply(page);
  assert.match(here.text, /\nstream cam1 \{[^}]*prepush 6;[^}]*\}\n$/);
  await page.waitForFunction(() => !document.querySelector('.entry-page')?.textContent?.includes('there is no stream'));
});

test('a server that is started again has other masks, and takes the edit', options, async () => {
  const page = await enter(here, '#/text');
  await shows(page, '.text-row', 'edit_auth admin');
  await page.click('[data-line="12"] code');
  await page.waitForSelector('.text-side .area');
  await replace(page, 'edit_auth ', 'edit_auth   ');
  await here.stop('SIGKILL');
  await here.start();
  await press(page, 'Review');
  await shows(page, '#tray .added', 'edit_auth   admin');
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

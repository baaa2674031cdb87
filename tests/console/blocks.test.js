// The tasks of an operator with whole blocks, by clicks and keys: add, copy, rename, remove, a template, a broken file, undo.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CONF, VIEWER, agree, apply, ask, enter, keep, named, press, replace, review, shows } from './entered.js';
import { click, inBrowser, options, until } from './served.js';

const here = inBrowser(CONF, { each: true });

const hashIs = (/** @type {import('puppeteer-core').Page} */ page, /** @type {string} */ hash) =>
  page.waitForFunction((wanted) => location.hash === wanted, {}, hash);

test('a stream is added, and its page opens', options, async () => {
  const page = await enter(here, '#/streams');
  await press(page, 'Add');
  await page.waitForSelector('dialog[open] [name=name]');
  await page.keyboard.type('cam1');
  await shows(page, 'dialog .fault', 'There is a stream cam1 already.');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('7');
  await page.type('dialog [name=source]', 'udp://239.0.0.7:1 x');
  await shows(page, 'dialog .fault', 'no blank');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await agree(here, page, 'stream cam7 {');
  await hashIs(page, '#/streams/cam7');
  await shows(page, '.colours', 'udp://239.0.0.7:1');
  assert.match(here.text, /stream cam7 \{\n {2}url udp:\/\/239\.0\.0\.7:1;\n\}/);
});

test('a stream is renamed and copied, with all that is in it', options, async () => {
  const page = await enter(here, '#/streams/cam1');
  await named(here, page, 'Rename', 'lobby', 'stream lobby {');
  await hashIs(page, '#/streams/lobby');
  assert.equal(here.text, CONF.replace('stream cam1', 'stream lobby'));
  await press(page, 'Keep');
  await named(here, page, 'Copy', 'hall', 'stream hall {');
  await hashIs(page, '#/streams/hall');
  assert.match(here.text, /stream hall \{[^}]*# the spare/);
});

test('a stream is removed, and Undo brings it back, pending or kept', options, async () => {
  for (const isKept of [false, true]) {
    const page = await enter(here, '#/streams/cam2');
    await press(page, 'Remove');
    await agree(here, page, 'stream cam2 {');
    await hashIs(page, '#/streams');
    assert.doesNotMatch(here.text, /cam2/);
    if (isKept) await keep(page);
    await press(page, 'Undo');
    await until(() => here.text === CONF, 'the stream');
    await page.waitForFunction(() => document.querySelector('.gone')?.childElementCount === 0);
    assert.equal((await ask(here, 'status')).pending, null);
  }
});

test('a second block behind the first is told at once', options, async () => {
  const page = await enter(here, '#/streams/cam2');
  await replace(page, 'prepush off;\n}', 'prepush off;\n}\nstream b {');
  await shows(page, '.faults', 'another entry begins here');
  assert.ok(await page.$('.text-line .fault-error'));
});

test('a template has a page, and says who uses it', options, async () => {
  const page = await enter(here, '#/templates');
  await shows(page, '.rows .row', 'prepush 3');
  await shows(page, '.rows .row', '1 block');
  await click(page, 'base');
  await shows(page, '.uses', 'tcam');
  await named(here, page, 'Copy', 'other', 'template other {');
  await hashIs(page, '#/templates/other');
  await press(page, 'Keep');
  await click(page, 'Templates');
  await click(page, 'base');
  await named(here, page, 'Rename', 'basis', 'template basis;');
  await hashIs(page, '#/templates/basis');
  await keep(page);
  await press(page, 'Remove');
  await shows(page, '#change .problem', '1 block uses `template.basis`');
  await press(page, 'Remove it anyway');
  await agree(here, page, 'template basis {');
  await hashIs(page, '#/templates');
});

test('lives and plugins have lists and pages', options, async () => {
  const page = await enter(here, '#/lives');
  await click(page, 'studio');
  await hashIs(page, '#/lives/studio');
  await shows(page, '.colours', 'publish_enabled true;');
  await click(page, 'Plugins');
  await click(page, 'iptv');
  await shows(page, '.colours', 'iptv.db');
  await click(page, 'Plugins');
  await named(here, page, 'Add', 'other', 'plugin other');
  await hashIs(page, '#/plugins/other');
});

test('a broken file shows its faults, and is mended by the fixes, by hand, and by the text that runs', options, async () => {
  const page = await enter(here, '#/streams');
  const broken = CONF.replace('rtmp 1935;', 'rtmp 1935').replace('stream cam1', 'straem cam1');
  here.editByHand(() => broken);
  await shows(page, '#states', 'the text from before the edit runs');
  await click(page, 'Mend it');
  await shows(page, 'main', 'The file has 1 error');
  await shows(page, '.faults', 'rtmp 1935');
  assert.ok(await page.waitForSelector('.text-line .fault-error'));
  await press(page, 'Fix');
  await agree(here, page, 'rtmp 1935;');
  assert.equal(here.text, CONF);
  await shows(page, 'main', 'The file is what runs');
  await keep(page);

  here.editByHand((text) => text.replace('stream tcam {', 'stream tcam {{'));
  await shows(page, 'main', 'can’t be loaded');
  await replace(page, 'tcam {{', 'tcam {');
  await page.waitForFunction(() => !document.querySelector('.entry .faults')?.childElementCount);
  await review(page);
  await agree(here, page, 'tcam {{');
  assert.equal(here.text, CONF);
  await keep(page);

  here.editByHand((text) => text.replace('stream tcam {', 'stream tcam'));
  await press(page, 'Go back to what runs');
  await agree(here, page, 'stream tcam {');
  assert.equal(here.text, CONF);
});

test('a long broken file says the same once, and is mended at both ends', options, async () => {
  const long = `${CONF}${Array.from({ length: 1500 }, (_, at) => `stream x${at} { url udp://239.0.0.1:1; }`).join('\n')}\n`;
  here.editByHand(() => `${long.replace('stream tcam {', 'stream tcam {{')}stream\n{\n`);
  const viewer = await enter(here, '#/file', VIEWER);
  await shows(viewer, 'main', 'The file has errors and can’t be loaded');
  await shows(viewer, '#states', 'See it');
  const page = await enter(here, '#/file');
  await shows(page, '.faults', 'other places');
  assert.equal(await page.$$eval('.faults .warning', (all) => all.length), 1);
  await press(page, 'Edit');
  await page.waitForSelector('.area:not([readonly])');
  await replace(page, 'tcam {{', 'tcam {');
  await page.waitForFunction(() => document.querySelectorAll('main > div > div > .faults li').length === 1);
  await click(page, `Line ${long.split('\n').length + 1}`);
  await replace(page, 'stream\n{\n', ' ');
  await press(page, 'Review');
  await agree(here, page, 'tcam {{');
  assert.equal(here.text, `${long} `);
  here.editByHand((text) => `${text}stream {\n`);
  await page.goto(`${here.url}/#/streams/cam1`);
  await shows(page, '#states', 'Mend it');
  await press(page, 'Remove');
  await shows(page, '#change .problem', 'changed by hand');
});

test('a broken file keeps its line ends, and one beside an unsaved update is not said to run', options, async () => {
  const page = await enter(here, '#/file');
  const long = CONF.replaceAll('\n', '\r\n');
  here.editByHand(() => long.replace('stream tcam {', 'stream tcam {{'));
  await shows(page, 'main', 'can’t be loaded');
  await replace(page, 'tcam {{', 'tcam {');
  await review(page);
  assert.equal(await page.$$eval('#change .removed', (lines) => lines.length), 1);
  await apply(page);
  assert.equal(here.text, long);
  await keep(page);
  await ask(here, 'update_config', CONF.replace('prepush 3', 'prepush 4'));
  await shows(page, 'main', 'The file is not what runs: an update that is not saved to the file runs.');
  await press(page, 'Go back to what runs');
  await agree(here, page, 'prepush 4;');
});

test('going back lists what it undoes', options, async () => {
  await ask(here, 'modify_config?message=first', '{"streams":{"cam1":{"prepush":6}}}');
  await ask(here, 'modify_config?message=second', '{"streams":{"news":{"title":"News"}}}');
  const page = await enter(here, '#/history/1', undefined, { height: 520 });
  await press(page, 'Go back to before change 1');
  await shows(page, '.undone', 'It undoes 2 changes');
  await shows(page, '.undone', 'second');
  assert.ok(await page.$eval('.undone', (box) => box.clientHeight + 1 >= Math.min(box.scrollHeight, innerHeight * 0.3)));
  const { bottom } = await page.$eval('.history-detail .apply .primary', (button) => button.getBoundingClientRect().toJSON());
  assert.ok(bottom < 520, `the button ends at ${bottom}`);
});

// What is on air: columns, counts, filters and the page of a stream; included files and templates beside it.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { click, entered, goes, inBrowser, logIn, names, open, options, sees, until } from './served.js';

const FIGURES = join(tmpdir(), `figures-${process.pid}.json`);
const CONF = `http 80;\nedit_auth admin right;\nauth http://auth.example.com/check;\ninclude more.conf;
template hall {\n  prepush 7;\n  dvr /storage 7d;\n}
${['a', 'b', 'c', 'd', 'e'].map((name) => `stream ${name} { url udp://239.0.0.1:1; ${name === 'd' ? 'disabled;' : ''}${name === 'a' ? 'template hall;' : ''} }`).join('\n')}\n`;

/** What the command prints. @param {object} streams */
const print = (streams) => writeFileSync(FIGURES, JSON.stringify({ cpu: 17, streams }));
print({ a: { state: 'running', bitrate: 4_000_000, viewers: 12 }, b: { state: 'stopped', bitrate: 0, viewers: 0 },
  c: { state: 'starting' }, d: { state: 'running', bitrate: 9 }, e: { state: 'sleeping' } });

const served = inBrowser(CONF, { how: ['--runtime-cmd', `cat ${FIGURES}`] });

/** @param {string} text of the included file */
const include = (text) => writeFileSync(join(served.folder, 'more.conf'), text);

const cells = (page, name) => page.$$eval(`.rows .row .${name}`, (found) => found.map((cell) => cell.textContent));

test('states are counted, the worst first, sorted and filtered', options, async () => {
  const broken = await entered(served, { hash: '#/streams' });
  await sees(broken, 'Included files are not listed: ', '.states');
  include('');
  const page = await entered(served, { hash: '#/streams' });
  await sees(page, '4.0 Mbit/s', '.rows .bitrate');
  assert.equal(await page.$eval('.states', (box) => box.innerText.replace(/\s+/g, ' ')), '1 stopped 1 starting 1 unknown 1 running 1 disabled');
  assert.deepEqual(await cells(page, 'on-air'), ['running', 'stopped', 'starting', 'disabled', 'unknown']);
  assert.deepEqual(await cells(page, 'viewers'), ['12', '0', '', '', '']);
  await click(page, 'State');
  assert.deepEqual(await names(page), ['b', 'c', 'e', 'a', 'd']);
  await click(page, '1 stopped');
  assert.deepEqual(await names(page), ['b']);
  assert.equal(await page.$eval('.filter', (field) => field.value), 'state=stopped');
  await click(page, '1 stopped');
  assert.equal((await names(page)).length, 5);
  await page.type('.filter', 'viewers=12');
  assert.deepEqual(await names(page), ['a']);
  await click(page, 'a', '.rows a');
  await sees(page, '12 viewers', '.live');
  print({ a: { state: 'stopped', bitrate: 1500, viewers: 1 } });
  await sees(page, '1 viewer', '.live');
  await sees(page, '2 kbit/s', '.live');
  await sees(page, 'stopped', '.live .bad');
  assert.match(await page.$eval('.chart path', (path) => path.getAttribute('d')), /^M0\.0 .*L600\.0 /);
  assert.match(await page.$eval('.live', (box) => box.textContent), /\d s ago.*Bitrate since .*: 2 kbit\/s to 4\.0 Mbit\/s/);
});

test('a command that fails is told, and what was known stays', options, async () => {
  writeFileSync(FIGURES, 'no JSON');
  const page = await entered(served, { hash: '#/streams' });
  await sees(page, 'printed no JSON object', '.states');
  writeFileSync(FIGURES, JSON.stringify({ server: 'nginx', errors: ['no'], streams: { a: { state: 'running', bitrate: '4', viewers: {} }, b: { bitrate: -1 } } }));
  await sees(page, '1 running', '.states');
  assert.deepEqual(await cells(page, 'bitrate'), ['', '', '', '', '']);
  writeFileSync(FIGURES, 'no JSON');
  await sees(page, 'is not known since', '.states');
  await page.goto(`${served.url}/#/streams/a`);
  await sees(page, 'running', '.live');
  print({ a: { state: 'running' } });
  await page.goto(`${served.url}/#/status`);
  await sees(page, 'cpu', '.facts');
});

test('what a stream has of its template is shown as that, and leads there', options, async () => {
  const page = await entered(served, { hash: '#/streams/a' });
  await sees(page, 'dvr.root', '.held');
  assert.deepEqual(await page.$$eval('.held dd', (values) => values.map((value) => value.textContent)),
    ['7 from the template hall', '/storage from the template hall', '604800 from the template hall', 'http://auth.example.com/check from the top level']);
  assert.equal(await page.$eval('.held a', (link) => link.getAttribute('href')), '#/templates/hall');
  assert.equal(await page.$eval('#field-prepush', (field) => field.placeholder), '7');
});

test('entries of included files are listed, found, and read only', options, async () => {
  include('# more\nstream inc { template hall; url rtsp://u:geheim99@h/x; }\n');
  const page = await entered(served, { hash: '#/streams' });
  await page.type('.filter', 'more.conf prepush=7');
  await sees(page, 'more.conf', '.rows .name');
  assert.deepEqual(await cells(page, 'prepush'), ['7']);
  assert.equal(await page.$eval('.rows input', (box) => box.disabled), true);
  await page.click('.titles input');
  await goes(page, '.many');
  const other = await entered(served, { hash: '#/streams/inc' });
  await sees(other, 'more.conf, line 2', '.warning');
  assert.match(await other.$eval('.area', (area) => area.value), /^stream inc \{ template hall; url rtsp:\/\/<secret:\w+>@h\/x; \}$/);
  assert.ok(!(await other.evaluate(() => new XMLSerializer().serializeToString(document))).includes('geheim99'));
  assert.equal(await other.$$eval('button', (all) => all.filter((button) => /Edit|Remove/.test(button.textContent)).length), 0);
});

test('without a runtime command one sentence says how to get it, and a first view takes at most twelve requests', options, async () => {
  await served.stop();
  await served.start();
  const page = await open(served);
  const seen = [];
  page.on('request', (request) => seen.push(request.url()));
  await page.reload();
  await page.waitForSelector('.login');
  await logIn(page);
  await sees(page, '--runtime-cmd', '.states');
  assert.ok(seen.filter((url) => !/with_includes|included|editor|views/.test(url)).length <= 12, seen.join('\n'));
  assert.equal(await page.$eval('.titles .bitrate', (title) => title.checkVisibility()), false);
  assert.equal(await page.$eval('.states', (box) => box.innerText.split('\n')[0].trim()), '1 disabled');
  await until(async () => (await names(page)).length === 6, 'the included stream');
});

test('the list keeps its place on Back', options, async () => {
  served.editByHand((text) => `${text}${Array.from({ length: 300 }, (_, at) => `stream x${at} { url udp://239.0.0.1:1; }`).join('\n')}\n`);
  await served.stop();
  await served.start();
  const page = await entered(served, { hash: '#/streams?filter=x' });
  await page.waitForSelector('.rows .row');
  await page.focus('.streams');
  for (let at = 0; at < 5; at += 1) await page.keyboard.press('PageDown');
  // A row is drawn after the box was scrolled to it.
  const place = async () => {
    await page.waitForSelector('.row.at');
    return page.evaluate(() => `${document.querySelector('.rows').scrollTop} ${document.querySelector('.row.at')?.id}`);
  };
  const before = await place();
  assert.ok(Number.parseInt(before, 10) > 500, before);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.entry-page .area');
  await page.goBack();
  await until(async () => await place() === before, before);
});

// Changes that have to be confirmed: in one page, in two, over a lost server, and one of the password.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers, click, goes, inBrowser, logIn, open, options, sees, until } from './served.js';

const CONF = 'http 80;\nedit_auth admin right;\nview_auth viewer look;\nstream cam { url udp://1; prepush 1; }\n';

const served = inBrowser(CONF, { each: true });

/** Another client makes a change that has to be confirmed. */
async function change(patch, seconds) {
  const { status } = await served.ask(`modify_config?confirm=${seconds}&message=why+not`, { body: JSON.stringify(patch) });
  assert.equal(status, 200);
}

async function entered(who) {
  const page = await open(served);
  const follows = page.waitForRequest((request) => request.url().includes('status?wait='));
  await logIn(page, who);
  await page.waitForSelector('.rows .row');
  // A page that does not wait for the next status yet is not told of a change that its password is refused after.
  await follows;
  return page;
}

test('every open page shows the countdown, and one of them keeps the change', options, async () => {
  const [one, two, viewer] = [await entered(), await entered(), await entered({ login: 'viewer', password: 'look' })];
  await change({ streams: { cam: { prepush: 2 } } }, 600);
  for (const page of [one, two, viewer]) {
    await sees(page, 'why not', '#confirm');
    await sees(page, 'streams.cam.prepush', '#confirm');
    await page.waitForFunction(() => /^\d+:\d\d$/.test(document.querySelector('#confirm .clock')?.textContent ?? ''));
  }
  assert.equal(await viewer.$$eval('#confirm button', (found) => found.length), 0);
  assert.notEqual(await one.evaluate(() => document.activeElement?.textContent), 'Keep', 'the change was not made here');
  await click(one, 'Keep');
  for (const page of [one, two, viewer]) await goes(page, '#confirm');
  assert.match(served.text, /prepush 2/);
  assert.equal(JSON.parse((await served.ask('status')).text).pending, null);
  assert.deepEqual([...one.faults, ...two.faults], []);
});

test('rolled back, and run out', options, async () => {
  const page = await entered();
  await change({ streams: { cam: { prepush: 3 } } }, 600);
  await click(page, 'Roll back');
  await goes(page, '#confirm');
  await until(() => served.text.includes('prepush 1'), 'the text before');
  await change({ streams: { cam: { prepush: 4 } } }, 10);
  await sees(page, 'It goes back in', '#confirm');
  await goes(page, '#confirm');
  await until(() => served.text.includes('prepush 1'), 'the text before');
  await page.waitForFunction(() => document.querySelector('.rows .prepush')?.textContent === '1');
});

test('a hand edit shows, and so does a server that comes back, which takes back what was pending', options, async () => {
  const page = await entered();
  served.editByHand((text) => text.replace('http 80', 'http 81'));
  await sees(page, 'file edited by hand', '#head');
  await change({ streams: { cam: { prepush: 5 } } }, 600);
  await sees(page, 'It goes back in', '#confirm');
  await served.stop('SIGKILL');
  await sees(page, 'There is no connection', '#confirm');
  await sees(page, 'no connection', '#head');
  await served.start();
  await page.waitForFunction(() => !document.querySelector('#head').innerText.includes('no connection'));
  await until(() => /http 81;[^]*prepush 1;/.test(served.text), 'the text before, with the hand edit');
  await goes(page, '#confirm');
  assert.deepEqual(page.faults, []);
});

test('a new password is asked for under the countdown', options, async () => {
  const page = await entered();
  await page.evaluate(() => { document.querySelector('.filter').value = 'cam'; });
  await change({ edit_auth: { password: 'newer' } }, 600);
  await answers(page, 'newer');
  await goes(page, '#confirm input');
  // A page that did not know of the change when its password was refused asks now.
  await page.$$eval('#confirm button', (found) => found.find((button) => button.textContent === 'Keep')?.click());
  await goes(page, '#confirm');
  const status = JSON.parse((await served.ask('status', { password: 'newer' })).text);
  assert.equal(status.pending, null);
  assert.equal(await page.$eval('.filter', (field) => field.value), 'cam', 'what was typed is still there');
});

test('a new password that is not kept goes back, and the page is logged in with the old one', options, async () => {
  const page = await entered();
  await change({ edit_auth: { password: 'newer' } }, 15);
  await answers(page, 'wrong');
  await sees(page, 'The login or the password is wrong.', '#confirm');
  await page.$eval('#confirm input[type=password]', (field) => { field.value = ''; });
  await sees(page, 'You are logged in with the old password.', '#live');
  await goes(page, '#confirm');
  assert.match(served.text, /edit_auth admin right;/);
  await change({ streams: { cam: { prepush: 9 } } }, 600);
  await sees(page, 'It goes back in', '#confirm');
  assert.deepEqual(page.faults, []);
});

test('a new password that another page takes back is not asked for any longer', options, async () => {
  const [page, other] = [await entered(), await entered()];
  await change({ edit_auth: { password: 'newer' } }, 600);
  for (const each of [page, other]) await each.waitForSelector('#confirm input[type=password]');
  const { pending } = JSON.parse((await served.ask('status', { password: 'newer' })).text);
  assert.equal((await served.ask(`cancel_config?id=${pending.id}`, { body: '', password: 'newer' })).status, 200);
  await answers(other, 'right');
  await goes(other, '#confirm input');
  assert.equal(await other.$eval('#confirm .fault', (fault) => fault.textContent), '', 'nothing is kept that is not there');
  await sees(page, 'You are logged in with the old password.', '#live');
  await goes(page, '#confirm');
});

test('the page that takes a new password back asks for the old one', options, async () => {
  await change({ edit_auth: { password: 'newer' } }, 600);
  const page = await entered({ password: 'newer' });
  await click(page, 'Roll back');
  await sees(page, 'was changed back', '#confirm');
  await answers(page, 'right');
  await goes(page, '#confirm');
  assert.match(served.text, /edit_auth admin right;/);
});

test('a login that another client renames is not asked for by its old name, nor by its new one after it went back', options, async () => {
  const page = await entered();
  await change({ edit_auth: { login: 'boss' } }, 600);
  await page.waitForSelector('#confirm input[type=password]');
  const login = () => page.$eval('#confirm input[name=login]', (field) => field.value);
  assert.equal(await login(), '');
  await page.close();
  const renamed = await entered({ login: 'boss' });
  await click(renamed, 'Roll back');
  await sees(renamed, 'was changed back', '#confirm');
  assert.equal(await renamed.$eval('#confirm input[name=login]', (field) => field.value), '');
});

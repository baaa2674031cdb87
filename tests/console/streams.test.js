// Log-in, the list of streams, and what may look only: in a browser, in front of a server.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { click, entered, inBrowser, logIn, names, open, options, sees } from './served.js';

/** Names that would be HTML, code, a path or a member of an object if they were not text. */
const HOSTILE = ['<img src=x onerror=window.hit=1>', '"><script>window.hit=1</script>', "a'b onclick=window.hit=1", '{{7*7}}', 'javascript:window.hit=1', '../../x', '%3Csvg%3E', '__proto__', 'constructor'];

const quoted = (name) => `"${name.replace(/[\\"]/g, '\\$&')}"`;

const CONF = `http 80;
edit_auth admin right;
view_auth viewer look;
auth http://auth.example.com/check;
${HOSTILE.map((name) => `stream ${quoted(name)} { url ${quoted(`udp://${name}`)}; title ${quoted(name)}; }`).join('\n')}
${Array.from({ length: 300 }, (_, at) => `stream cam${at} { url rtsp://u:s3cret${at}@192.0.2.1/${at}; prepush ${at % 10}; }`).join('\n')}
ondemand open { url udp://239.0.0.1:1; auth false; }
`;

const served = inBrowser(CONF);

test('a wrong password is told, and a right one shows the streams without a secret', options, async () => {
  const page = await open(served);
  await logIn(page, { password: 'wrong' });
  await sees(page, 'The login or the password is wrong.');
  await logIn(page);
  await sees(page, 'streams', '.count');
  const text = await page.evaluate(() => document.body.innerText);
  assert.match(text, /<secret:/);
  assert.doesNotMatch(await page.content(), /s3cret|right/);
  assert.deepEqual(await page.evaluate(() => [...Object.values(sessionStorage), ...Object.values(localStorage)].filter((kept) => /right|s3cret/.test(kept))), []);
  assert.deepEqual(page.faults, []);
});

test('hostile names and values are text', options, async () => {
  const page = await entered(served);
  await sees(page, HOSTILE[0]);
  assert.deepEqual((await names(page)).slice(0, HOSTILE.length), HOSTILE);
  for (const name of HOSTILE) {
    const href = await page.$$eval('.rows .name a', (links, wanted) => links.find((link) => link.textContent === wanted).getAttribute('href'), name);
    await page.goto(`${served.url}/${href}`);
    await sees(page, name, 'h1');
    await page.goto(`${served.url}/#/streams`);
    await page.waitForSelector('.rows .row');
  }
  const made = await page.evaluate(() => ({ hit: window.hit ?? null, images: document.images.length, frames: frames.length, scripts: document.scripts.length }));
  assert.deepEqual(made, { hit: null, images: 0, frames: 0, scripts: 1 });
  assert.deepEqual(page.faults, []);
});

test('the filter, the order and the keys', options, async () => {
  const page = await entered(served);
  await page.waitForSelector('.rows .row');
  await page.keyboard.press('/');
  await page.keyboard.type('prepush=7 cam2');
  await sees(page, '11 of', '.count');
  assert.deepEqual(await names(page), ['cam27', ...Array.from({ length: 10 }, (_, at) => `cam2${at}7`)]);
  await page.waitForFunction(() => location.hash.includes('cam2'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await sees(page, 'cam297', 'h1');
  await page.goBack();
  await sees(page, '11 of', '.count');
  await click(page, 'Name', '.titles button');
  await click(page, 'Name', '.titles button');
  await page.waitForFunction(() => document.querySelector('.rows .name')?.textContent === 'cam297');
  assert.equal(await page.$eval('.titles .name', (title) => title.getAttribute('aria-sort')), 'descending');
  await page.reload();
  await page.waitForSelector('.login');
  assert.equal(await page.$eval('input[name=login]', (field) => field.value), 'admin');
  await page.type('input[name=password]', 'right');
  await page.keyboard.press('Enter');
  await sees(page, '11 of', '.count');
  await page.focus('.filter');
  await page.keyboard.press('Escape');
  await sees(page, '310 streams', '.count');
  assert.ok((await names(page)).length < 60, 'only rows that can be seen are drawn');
  await page.focus('.streams');
  await page.keyboard.press('?');
  await sees(page, 'Ctrl+Enter', 'dialog');
  assert.deepEqual(page.faults, []);
});

test('who may look only has nothing that changes anything', options, async () => {
  const page = await entered(served, {}, { login: 'viewer', password: 'look' });
  await page.waitForSelector('.rows .row');
  assert.equal(await page.$$eval('#main input[type=checkbox]', (found) => found.length), 0);
  for (const [view, title] of [['streams/cam1', 'cam1'], ['text', 'Text'], ['history', 'History'], ['status', 'Status']]) {
    await page.goto(`${served.url}/#/${view}`);
    await sees(page, title, '#main h1');
    await page.waitForNetworkIdle({ idleTime: 300, concurrency: 1 });
    const words = await page.$$eval('#main button', (found) => found.map((button) => button.textContent));
    assert.doesNotMatch(words.join(' '), /apply|keep|roll back|remove|set|save|edit|go back to/i, view);
    if (view !== 'streams/cam1') continue;
    assert.equal(await page.$eval('.area', (area) => area.hasAttribute('readonly')), true);
    assert.equal(await page.$('.entry-head button, .fields input, .fields select'), null);
    assert.ok(await page.$('.fields output'));
  }
  assert.deepEqual(page.faults, []);
});

test('a phone shows of a stream what a wide page shows', options, async () => {
  const page = await entered(served, { width: 360, hash: '#/streams?filter=cam1&sort=-prepush' });
  await page.waitForSelector('.rows .row');
  const cells = await page.$$eval('.rows .row', ([row]) => [...row.children].filter((cell) => cell.textContent).map((cell) => {
    const [around, box] = [row.getBoundingClientRect(), cell.getBoundingClientRect()];
    const isInside = box.width > 0 && box.top >= around.top && box.bottom <= around.bottom && box.right <= around.right;
    return [cell.className, isInside];
  }));
  assert.deepEqual(Object.fromEntries(cells), { name: true, kind: true, source: true, authorization: true, prepush: true });
  assert.equal(await page.$eval('.titles .prepush', (title) => title.checkVisibility()), true);
});

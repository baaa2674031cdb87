// Measures the limits of docs/console.md in a browser, over 10 001 streams: `npm run limits`, with a release build in
// MEDIACTL. Prints figures and judges nothing: a machine may be busy.

import { setTimeout as passed } from 'node:timers/promises';

import { Served, click, closeBrowser, open, sees } from './served.js';

const STREAMS = 10_001;

const conf = `http 80;\nedit_auth admin right;\nauth http://auth.example.com/check;\n${Array.from({ length: STREAMS }, (_, at) =>
  `stream cam${at} {\n  url rtsp://${at % 2 ? '' : `camera:s3cret${at}@`}10.${at >> 8}.${at & 255}.1/h264 tracks=1;\n  prepush ${at % 10};\n  title "Camera ${at}, hall ${at % 40}";\n}`).join('\n')}\n`;

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];
const told = (what, times) => process.stdout.write(`${what}: median ${Math.round(median(times))} ms, worst ${Math.round(Math.max(...times))} ms\n`);

/** Each key from its event to the frame that shows what it did. */
async function keys(page, selector, text) {
  await page.focus(selector);
  await page.evaluate(() => {
    const isFirst = !window.times;
    window.times = [];
    if (isFirst) addEventListener('keydown', () => {
      const start = performance.now();
      requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - start)));
    }, { capture: true });
  });
  for (const key of text) {
    await page.keyboard.type(key);
    await passed(150);
  }
  return page.evaluate(() => window.times);
}

async function firstRow(served) {
  const page = await open(served);
  const devtools = await page.createCDPSession();
  await devtools.send('Network.enable');
  await page.type('input[name=login]', 'admin');
  await page.type('input[name=password]', 'right');
  const took = await page.evaluate(() => new Promise((done) => {
    const start = performance.now();
    new MutationObserver((_, observer) => {
      if (!document.querySelector('.rows .row')) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
    }).observe(document.body, { childList: true, subtree: true });
    document.querySelector('.login').requestSubmit();
  }));
  return { page, devtools, took };
}

async function idle(devtools, seconds) {
  let bytes = 0;
  devtools.on('Network.requestWillBeSentExtraInfo', ({ headers }) => { bytes += JSON.stringify(headers).length; });
  devtools.on('Network.responseReceivedExtraInfo', ({ headersText, headers }) => { bytes += headersText?.length ?? JSON.stringify(headers).length; });
  devtools.on('Network.dataReceived', ({ encodedDataLength }) => { bytes += encodedDataLength; });
  await passed(seconds * 1000);
  return bytes / seconds * 60;
}

const served = await new Served(conf).start();
try {
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    const { page, took } = await firstRow(served);
    times.push(took);
    await page.close();
  }
  told('first row', times);
  const { page, devtools } = await firstRow(served);
  told('a key in the filter', await keys(page, '.filter', 'cam12 prepush=3'));
  process.stdout.write(`idle: ${Math.round(await idle(devtools, 130))} bytes a minute\n`);
  await page.goto(`${served.url}/#/streams/cam5001`);
  await click(page, 'Edit');
  await page.waitForSelector('.area:not([readonly])');
  await page.keyboard.down('Control');
  await page.keyboard.press('Home');
  await page.keyboard.up('Control');
  await page.keyboard.press('End');
  told('a key in the text of a stream', await keys(page, 'textarea', '# a comment'));
  await click(page, 'Review');
  await sees(page, '# a comment', '#change .diff');
  const diffs = [];
  await page.focus('textarea');
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    await page.keyboard.type(String(round));
    await sees(page, `# a comment${'01234'.slice(0, round + 1)}`, '#change .diff');
    diffs.push(performance.now() - start);
  }
  told('from an edit to its difference', diffs);
  await click(page, 'Discard', '#change button');
  await page.goto(`${served.url}/#/text`);
  await sees(page, 'cam0', '.text-row');
  told('a key in the search of the whole text', await keys(page, '#search', 'prepush 7'));
  await click(page, 'Edit');
  await page.waitForSelector('.area:not([readonly])');
  await page.focus('.area');
  told('a key in the whole text', await keys(page, '.area', '# a comment'));
} finally {
  await closeBrowser();
  await served.end();
}

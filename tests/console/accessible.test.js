// Every view, in both schemes, wide and narrow: no serious finding of axe-core, and nothing wider than the page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { inBrowser, logIn, open, options } from './served.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const CONF = `http 80;\nedit_auth admin right;\nview_auth viewer look;\ntemplate base { prepush 3; }\n${Array.from({ length: 40 }, (_, at) =>
  `stream camera-with-a-long-name-${at} { url rtsp://u:s3cret@192.0.2.${at}/h264; title "Hall ${at}"; prepush ${at}; dvr /storage/${at} 7d; }`).join('\n')}\n`;

const served = inBrowser(CONF);

const VIEWS = ['streams', 'streams/camera-with-a-long-name-1', 'lives', 'templates', 'templates/base', 'plugins', 'file', 'text', 'history', 'status'];

test('no view has a serious finding', options, async () => {
  for (const [width, scheme] of [[1280, 'light'], [1280, 'dark'], [360, 'light'], [2560, 'dark']]) {
    const page = await open(served, { width, scheme });
    await looksGood(page, `log-in ${width} ${scheme}`);
    await logIn(page);
    await served.ask('modify_config?confirm=600&message=look', { body: JSON.stringify({ rtmp: width }) });
    await page.waitForSelector('#confirm:not([hidden]) button');
    for (const view of VIEWS) {
      await page.goto(`${served.url}/#/${view}`);
      await page.waitForNetworkIdle({ idleTime: 300, concurrency: 1 });
      await looksGood(page, `${view} ${width} ${scheme}`);
    }
    assert.deepEqual(page.faults, []);
    await served.ask(`cancel_config?id=${JSON.parse((await served.ask('status')).text).pending.id}`, { body: '' });
    await page.close();
  }
});

async function looksGood(page, where) {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => (await window.axe.run()).violations);
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(serious.map(({ id, nodes }) => `${where}: ${id}: ${nodes.map((node) => node.html).slice(0, 3).join(' ')}`), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} is wider than the page`);
}

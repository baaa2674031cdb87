// Makes the pictures of the README and of docs/console.md: `npm run picture` after `cargo build`. With `--check` it makes them,
// and looks whether they are whole, without keeping them: so CI sees that what they show is still there.

import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Served, click, closeBrowser, logIn, open, sees } from './served.js';

const FOLDER = process.argv.includes('--check') ? `${tmpdir()}/` : fileURLToPath(new URL('../../docs/', import.meta.url));
const EXAMPLE = readFileSync(new URL('../../examples/media.conf', import.meta.url), 'utf8');
const PASSWORD = 'not-a-real-password';

/** Streams with a template, and what a runtime command prints of them. */
const STREAMS = Array.from({ length: 40 }, (_, at) => ({ name: `hall-${at + 1}`, at }));
const LIST = `http 80;\nedit_auth admin ${PASSWORD};\nauth http://auth.example.com/check;\ntemplate hall {\n  prepush 5;\n  dvr /storage 7d;\n}
${STREAMS.map(({ name, at }) => `stream ${name} {\n  url rtsp://10.0.4.${at + 10}/h264;\n  template hall;\n${at % 13 === 5 ? '  disabled;\n' : ''}${at % 19 === 8 ? '  auth false;\n' : ''}}`).join('\n')}\n`;
const FIGURES = { streams: Object.fromEntries(STREAMS.map(({ name, at }) => [name,
  { state: at % 17 === 3 ? 'stopped' : at % 23 === 11 ? 'starting' : 'running', bitrate: at % 17 === 3 ? 0 : 3_800_000 + at * 40_000, viewers: at % 17 === 3 ? 0 : at * 7 % 40 }])) };

/** @param {Served} served @param {string} name @param {object} how of the page @param {(page: import('puppeteer-core').Page) => Promise<unknown>} show */
async function take(served, name, how, show) {
  const page = await open(served, how);
  await show(page);
  const picture = await page.screenshot({ path: `${FOLDER}${name}` });
  if (picture.length < 20_000) throw new Error(`${name} has ${picture.length} bytes: it can't be whole`);
}

const served = await new Served(EXAMPLE).start();
const figures = join(tmpdir(), `figures-${process.pid}.json`);
writeFileSync(figures, JSON.stringify(FIGURES));
const listed = await new Served(LIST).start(['--runtime-cmd', `cat ${figures}`]);
try {
  await served.ask('modify_config?message=less+delay', { body: '{"streams":{"cam1":{"prepush":4}}}', password: PASSWORD });
  await take(served, 'console.png', { hash: '#/streams/cam1', height: 760 }, async (page) => {
    await logIn(page, { password: PASSWORD });
    await sees(page, 'Last changes');
    await click(page, 'Edit');
    await page.waitForSelector('.area:not([readonly])');
    await page.$eval('.area', (area) => {
      const at = area.value.indexOf('prepush 4') + 'prepush '.length;
      area.setSelectionRange(at, at + 1);
    });
    await page.keyboard.type('6');
    await click(page, 'Review');
    await page.waitForSelector('#change .diff');
    await page.type('.why input', 'the picture stuttered');
  });
  await take(listed, 'console-list.png', { hash: '#/streams', height: 640 }, async (page) => {
    await logIn(page, { password: PASSWORD });
    await sees(page, 'stopped', '.states');
    await sees(page, 'Mbit/s', '.rows .bitrate');
  });
} finally {
  await closeBrowser();
  await Promise.all([served.end(), listed.end()]);
}

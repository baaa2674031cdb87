// Makes the pictures of the README and of docs/console.md: `npm run picture` after `cargo build`. With `--check` it makes them,
// and looks whether they are whole, without keeping them: so CI sees that what they show is still there.

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EDITOR, EXAMPLE, enter, replace, review } from './entered.js';
import { Served, closeBrowser, sees } from './served.js';

const FOLDER = process.argv.includes('--check') ? `${tmpdir()}/` : fileURLToPath(new URL('../../docs/', import.meta.url));

/** Streams with a template, and what a runtime command prints of them. */
const STREAMS = Array.from({ length: 40 }, (_, at) => ({ name: `hall-${at + 1}`, at }));
const LIST = `http 80;\nedit_auth admin ${EDITOR.password};\nauth http://auth.example.com/check;\ntemplate hall {\n  prepush 5;\n  dvr /storage 7d;\n}
${STREAMS.map(({ name, at }) => `stream ${name} {\n  url rtsp://10.0.4.${at + 10}/h264;\n  template hall;\n${at % 13 === 5 ? '  disabled;\n' : ''}${at % 19 === 8 ? '  auth false;\n' : ''}}`).join('\n')}\n`;
const FIGURES = { streams: Object.fromEntries(STREAMS.map(({ name, at }) => [name,
  { state: at % 17 === 3 ? 'stopped' : at % 23 === 11 ? 'starting' : 'running', bitrate: at % 17 === 3 ? 0 : 3_800_000 + at * 40_000, viewers: at % 17 === 3 ? 0 : at * 7 % 40 }])) };

/** @param {Served} served @param {string} name @param {string} hash @param {number} height @param {(page: import('puppeteer-core').Page) => Promise<unknown>} show */
async function take(served, name, hash, height, show) {
  const page = await enter(served, hash, EDITOR, { height });
  await show(page);
  const picture = await page.screenshot({ path: `${FOLDER}${name}` });
  if (picture.length < 20_000) throw new Error(`${name} has ${picture.length} bytes: it can't be whole`);
}

const served = await new Served(EXAMPLE).start();
const figures = join(tmpdir(), `figures-${process.pid}.json`);
writeFileSync(figures, JSON.stringify(FIGURES));
const listed = await new Served(LIST).start(['--runtime-cmd', `cat ${figures}`]);
try {
  await served.ask('modify_config?message=less+delay', { body: '{"streams":{"cam1":{"prepush":4}}}', password: EDITOR.password });
  await take(served, 'console.png', '#/streams/cam1', 760, async (page) => {
    await sees(page, 'Last changes');
    await replace(page, 'prepush 4', 'prepush 6');
    await review(page);
    await page.type('.why input', 'the picture stuttered');
  });
  await take(listed, 'console-list.png', '#/streams', 640, async (page) => {
    await sees(page, 'stopped', '.states');
    await sees(page, 'Mbit/s', '.rows .bitrate');
  });
} finally {
  await closeBrowser();
  await Promise.all([served.end(), listed.end()]);
}

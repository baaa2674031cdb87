// Makes the picture of the README: `npm run picture` after `cargo build`.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Served, click, closeBrowser, logIn, open, sees } from './served.js';

const PICTURE = fileURLToPath(new URL('../../docs/console.png', import.meta.url));
const EXAMPLE = readFileSync(new URL('../../examples/media.conf', import.meta.url), 'utf8');
const PASSWORD = 'not-a-real-password';

const served = await new Served(EXAMPLE).start();
try {
  const page = await open(served, { hash: '#/streams/cam1', height: 760 });
  await served.ask('modify_config?message=less+delay', { body: '{"streams":{"cam1":{"prepush":4}}}', password: PASSWORD });
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
  await page.screenshot({ path: PICTURE });
} finally {
  await closeBrowser();
  await served.end();
}

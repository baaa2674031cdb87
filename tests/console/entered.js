// The example, and pages that are logged in: what the tests of edits share.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { click, logIn, open } from './served.js';

/** @typedef {import('puppeteer-core').Page} Page */

export const EXAMPLE = readFileSync(new URL('../../examples/media.conf', import.meta.url), 'utf8');
export const EDITOR = { login: 'admin', password: 'not-a-real-password' };
export const VIEWER = { login: 'viewer', password: 'also-not-real' };

/** A page at a place of the console, logged in. */
export async function enter(here, hash, who = EDITOR, how = {}) {
  const page = await open(here, { hash, ...how });
  await logIn(page, who);
  return page;
}

/** Asks the API, as somebody else does. */
export async function ask(here, path, body) {
  const { status, text } = await here.ask(path, { body, password: EDITOR.password });
  assert.equal(status, 200, text);
  return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
}

/** Waits until a text is in an element, seen or not. */
export function shows(page, selector, text) {
  return page.waitForFunction((where, what) => [...document.querySelectorAll(where)].some((found) => found.textContent.includes(what)), {}, selector, text);
}

/** Clicks the button with this text. */
export function press(page, text) {
  return click(page, text, 'button');
}

/**
 * Puts another text in the place of a part of the text that is edited.
 * @param {Page} page
 * @param {string} from
 * @param {string} to
 */
export async function replace(page, from, to) {
  await page.waitForSelector('.area');
  if (await page.$eval('.area', (area) => area.hasAttribute('readonly'))) await press(page, 'Edit');
  await page.waitForSelector('.area:not([readonly])');
  await page.waitForFunction((text) => document.querySelector('textarea')?.value.includes(text), {}, from);
  await page.$eval('.area', (found, text) => {
    const area = /** @type {HTMLTextAreaElement} */ (found);
    const at = area.value.indexOf(text);
    area.focus();
    area.setSelectionRange(at, at + text.length);
  }, from);
  await page.keyboard.type(to);
  // The page takes an edit after the key.
  await page.evaluate(() => new Promise((done) => { setTimeout(done); }));
}

/** @param {Page} page @param {string} [why] */
export async function apply(page, why = '') {
  await press(page, 'Review');
  await page.waitForSelector('#change .diff');
  if (why) await page.type('.why input', why);
  await press(page, 'Apply');
  await page.waitForFunction(() => document.querySelector('#change')?.hasAttribute('hidden'));
}

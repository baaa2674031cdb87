// The example, and pages that are logged in: what the tests of edits share.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { click, entered } from './served.js';

/** @typedef {import('puppeteer-core').Page} Page */

export const EXAMPLE = readFileSync(new URL('../../examples/media.conf', import.meta.url), 'utf8');
export const EDITOR = { login: 'admin', password: 'not-a-real-password' };
export const VIEWER = { login: 'viewer', password: 'also-not-real' };

/** The same with a template, and a stream that uses it. */
export const CONF = `${EXAMPLE}template base {\n  prepush 3;\n}\nstream tcam {\n  template base;\n  url udp://239.0.0.9:1;\n}\n`;

/** A page at a place of the console, logged in. */
export function enter(here, hash, who = EDITOR, how = {}) {
  return entered(here, { hash, ...how }, who);
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

/** Shows what an edit would change. @param {Page} page */
export async function review(page) {
  await press(page, 'Review');
  await page.waitForSelector('#change .diff');
}

/** Applies what is shown. @param {Page} page */
export async function apply(page) {
  await press(page, 'Apply');
  await page.waitForSelector('#change[hidden]');
}

/** @param {Page} page */
export async function keep(page) {
  await press(page, 'Keep');
  await page.waitForSelector('#confirm[hidden]');
}

/** Applies what is shown, which comes before the change. @param {Page} page @param {string} line that it adds or removes */
export async function agree(here, page, line) {
  await shows(page, '#change .diff', line);
  const isAdded = await page.$$eval('#change .added', (lines, wanted) => lines.some((added) => added.textContent.includes(wanted)), line);
  assert.equal(here.text.includes(line), !isAdded, 'the difference comes first');
  await apply(page);
}

/** Answers the form for a name. @param {Page} page @param {string} button @param {string} name @param {string} line */
export async function named(here, page, button, name, line) {
  await press(page, button);
  await page.waitForSelector('dialog[open] [name=name]');
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await agree(here, page, line);
}

/** Says what all that is marked gets. @param {Page} page @param {string} path @param {string} value */
export async function fill(page, path, value) {
  await page.waitForSelector('.many-form input[list]');
  await page.type('.many-form input[list]', path);
  await page.type('.many-form [placeholder=value]', value);
}

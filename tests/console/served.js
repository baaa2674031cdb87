// A server over a configuration in a folder of its own, and a browser in front of it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach } from 'node:test';
import { fileURLToPath } from 'node:url';

import puppeteer from 'puppeteer-core';

const BINARY = process.env.MEDIACTL ?? fileURLToPath(new URL('../../target/debug/mediactl', import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** A folder with files that stand in for those in the program, while one writes them. */
const FILES = process.env.CONSOLE_FILES;

/** The longest time for anything: a machine may be slow and busy. */
export const PATIENCE = Number(process.env.PATIENCE ?? 120_000);

/** How many times slower a page computes than it could: finds tests that do not wait for what they look at. */
const SLOWER = Number(process.env.SLOWER ?? 1);

export class Served {
  #process;

  /** @param {string} text */
  constructor(text) {
    this.before = text;
  }

  /** Starts the server, over the text and on the port that it had, if it had them. @param {string[]} how more options */
  async start(how = []) {
    if (!this.folder) this.#settle();
    const listen = `127.0.0.1:${this.port ?? 0}`;
    const all = ['--conf', this.conf, 'serve', '--console', '--view-auth', '--listen', listen, ...how];
    this.#process = spawn(BINARY, all, { stdio: ['ignore', 'pipe', openSync(this.log, 'a')] });
    let told = '';
    for await (const part of this.#process.stdout) {
      told += part;
      const [, port] = /^the console is at http:\/\/127\.0\.0\.1:(\d+)\/$/m.exec(told) ?? [];
      if (!port) continue;
      this.port = Number(port);
      this.url = `http://127.0.0.1:${port}`;
      return this;
    }
    throw new Error(`the server does not listen: ${told}`);
  }

  #settle() {
    this.folder = mkdtempSync(join(tmpdir(), 'console-'));
    this.conf = join(this.folder, 'media.conf');
    this.log = join(this.folder, 'log');
    writeFileSync(this.conf, this.before);
  }

  /** @param {NodeJS.Signals} signal */
  async stop(signal = 'SIGTERM') {
    const ended = new Promise((done) => { this.#process.on('exit', done); });
    this.#process.kill(signal);
    await ended;
  }

  /** Ends the server, and forgets its folder and its port. */
  async end() {
    await this.stop('SIGKILL');
    rmSync(this.folder, { recursive: true });
    [this.folder, this.port] = [undefined, undefined];
  }

  get text() {
    return readFileSync(this.conf, 'utf8');
  }

  /** @param {(text: string) => string} edit */
  editByHand(edit) {
    writeFileSync(this.conf, edit(this.text));
  }

  /** Asks the API, as another client does. */
  async ask(path, { body, password = 'right' } = {}) {
    const authorization = `Basic ${btoa(`admin:${password}`)}`;
    const answer = await fetch(`${this.url}/media/api/${path}`, { method: body === undefined ? 'GET' : 'POST', body, headers: { authorization } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}

/** The options of a test in a browser. */
export const options = { skip: existsSync(CHROMIUM) && existsSync(BINARY) ? false : 'there is no chromium, or no program' };

/** @type {import('puppeteer-core').Browser | undefined} */
let browser;

/** The pages that are open. @type {import('puppeteer-core').Page[]} */
let pages = [];

/**
 * A server over a text for the tests of a file; with `each`, a new one for each of them. No page outlives its test, and
 * what went wrong in it fails the test.
 * @param {string} text
 */
export function inBrowser(text, { each = false, how = [] } = {}) {
  const served = new Served(text);
  if (options.skip) return served;
  const [begin, end] = each ? [beforeEach, afterEach] : [before, after];
  begin(() => served.start(how));
  afterEach(async () => {
    const faults = pages.flatMap((page) => page.faults);
    await closePages();
    assert.deepEqual(faults, []);
  });
  end(() => served.end());
  after(closeBrowser);
  return served;
}

async function closePages() {
  for (const page of pages) await page.browserContext().close();
  pages = [];
}

export async function closeBrowser() {
  await browser?.close();
}

/**
 * Opens a page, which notes what goes wrong in it, in the browser that all pages share.
 * @param {Served} served
 */
export async function open(served, { hash = '', width = 1280, height = 800, scheme = 'light' } = {}) {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  browser ??= await puppeteer.launch({ executablePath: CHROMIUM, args, protocolTimeout: PATIENCE });
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  pages.push(page);
  page.setDefaultTimeout(PATIENCE);
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('dialog', (dialog) => dialog.accept());
  if (SLOWER > 1) await page.emulateCPUThrottling(SLOWER);
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  if (FILES) await standIn(page);
  await page.goto(`${served.url}/${hash}`);
  await page.waitForSelector('.login');
  return page;
}

/** Logs in, and waits for what the page then shows. */
export async function logIn(page, { login = 'admin', password = 'right' } = {}) {
  await page.$eval('input[name=login]', (field) => { field.value = ''; });
  await page.type('input[name=login]', login);
  await page.type('input[name=password]', password);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.login .fault')?.textContent || document.querySelector('#head nav a').checkVisibility());
}

/** A page that is logged in. */
export async function entered(served, how = {}, who = {}) {
  const page = await open(served, how);
  await logIn(page, who);
  return page;
}

/** Types the password that is asked for under the countdown. */
export async function answers(page, password) {
  await page.waitForSelector('#confirm input[type=password]');
  await page.type('#confirm input[type=password]', password);
  await page.keyboard.press('Enter');
}

/** Waits for a text in the page. */
export async function sees(page, text, selector = 'body') {
  try {
    await page.waitForFunction((wanted, where) => [...document.querySelectorAll(where)].some((found) => found.checkVisibility() && found.innerText.includes(wanted)), {}, text, selector);
  } catch (error) {
    throw await shown(page, `\`${text}\` is not to be seen`, error);
  }
}

/** Waits until no element of a selector can be seen. */
export async function goes(page, selector) {
  try {
    await page.waitForFunction((where) => [...document.querySelectorAll(where)].every((found) => !found.checkVisibility()), {}, selector);
  } catch (error) {
    throw await shown(page, `${selector} is still to be seen`, error);
  }
}

/** The error that says what the page shows instead. */
async function shown(page, what, cause) {
  return new Error(`${what}; the page shows: ${await page.evaluate(() => document.body.innerText)}`, { cause });
}

/** Clicks the button or link with this text, once it rests: again if it was drawn again or moved meanwhile, and got no click. */
export async function click(page, text, selector = 'button, a') {
  const found = await page.waitForFunction(async (wanted, where) => {
    const button = [...document.querySelectorAll(where)].find((each) => each.checkVisibility() && !each.disabled && each.textContent.trim() === wanted);
    const place = () => JSON.stringify(button?.isConnected && button.getBoundingClientRect());
    const was = place();
    await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
    button?.addEventListener('click', () => { button.wasClicked = true; }, { capture: true });
    return place() === was && button;
  }, {}, text, selector);
  try {
    await found.click();
  } catch (error) {
    if (await found.evaluate((button) => button.isConnected)) throw error;
  }
  // A page that is left took the click.
  const wasClicked = await found.evaluate((button) => button.wasClicked).catch(() => true);
  if (!wasClicked) await click(page, text, selector);
}

/** Waits until something holds outside the page. */
export async function until(check, what) {
  const end = Date.now() + PATIENCE;
  while (!(await check())) {
    assert.ok(Date.now() < end, `it never came: ${what}`);
    await new Promise((done) => { setTimeout(done, 50); });
  }
}

/** The names of the rows that are drawn. */
export function names(page) {
  return page.$$eval('.rows .row .name', (cells) => cells.map((cell) => cell.textContent));
}

async function standIn(page) {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const name = new URL(request.url()).pathname.slice(1) || 'index.html';
    const file = join(FILES, name);
    if (name.includes('/') || !existsSync(file)) return request.continue();
    const types = { js: 'text/javascript', css: 'text/css', html: 'text/html', svg: 'image/svg+xml' };
    return request.respond({ contentType: types[name.split('.').pop()], body: readFileSync(file, 'utf8').replace('{{api}}', 'media/api') });
  });
}

// One secret is shown at a time: over stand-ins of elements, and a server of this file that answers when the test says so.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hideSecret, secretsView } from '../../src/http/console/secret.js';

class Stand {
  children = [];
  listeners = {};
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  setAttribute() {}
  addEventListener(name, listener) { this.listeners[name] = listener; }
  get textContent() { return this.children.map((child) => child.textContent ?? child).join(''); }
  set textContent(text) { this.children = [text]; }
}
Object.assign(globalThis, { Node: Stand, document: { createElement: () => new Stand() }, window: globalThis });

const MASKED = { password: '<secret:aaaaaa>', token: '<secret:bbbbbb>' };

test('of two that are asked for at once the later one is shown, and no timer is left', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const answers = [];
  const api = { get: (_, { path }) => new Promise((done) => { answers.push(() => done({ body: `shown ${path}` })); }) };
  const view = secretsView(/** @type {any} */ ({ mayEdit: true, api }), ['a'], MASKED);
  const [one, other] = /** @type {any} */ (view).children[1].children;
  const press = (item) => item.children[2].listeners.click();
  const answered = async (at) => {
    answers[at]();
    await new Promise((done) => { setImmediate(done); });
    context.mock.timers.tick(500);
  };
  press(one);
  press(other);
  press(other);
  for (const at of [2, 1, 0]) await answered(at);
  assert.match(one.textContent, /••••••Show$/);
  assert.match(other.textContent, /shown a\.tokenHidehidden in \d+ s$/);
  press(other);
  context.mock.timers.tick(500);
  assert.match(other.textContent, /••••••Show$/);
  press(one);
  hideSecret();
  await answered(3);
  assert.match(one.textContent, /••••••Show$/, 'the page was left before the answer');
});

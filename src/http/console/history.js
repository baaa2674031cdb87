// The changes: who, when, why, and where. The diff of one, and two ways back, to the text before it or without it alone:
// `#/history`, `#/history/7`.

import { counted, el, fill, refill, told } from './base.js';
import { accepting, asProblem, tellApplied } from './server.js';
import { ApplyForm, changeView, diffView, notesView, problemView, showWhenRead } from './views.js';

/** @typedef {import('./views.js').Change} Change */

/** The changes that are shown at first, and with each *older*. */
const SOME = 100;

/** Up to so many changes that going back undoes are listed at once. */
const FEW = 5;

/** @type {import('./base.js').Show} */
export function showHistory(main, state, { rest: [place = ''] }, signal) {
  const { api, mayEdit } = state;
  const chosen = Number(place);
  let changes = /** @type {Change[]} */ ([]);
  let count = SOME;
  /** The ID of the way back that was made here and waits to be kept. @type {string | null} */
  let pending = null;
  /** The revision of the configuration whose difference to an earlier one is shown. */
  let revision = '';
  /** Which of both ways is asked about. @type {'Go back' | 'Revert'} */
  let way = 'Go back';
  /** Names of guards. @type {string[]} */
  const accepted = [];

  const list = el('ol.history-list', { 'aria-label': 'Changes' });
  const detail = el('section.history-detail', { 'aria-label': 'Difference' });
  fill(main, el('h1', 'History'), el('div.history-page', list, detail));

  async function read() {
    try {
      const { body } = await api.get('history');
      changes = body;
      draw();
    } catch (error) {
      if (!changes.length) fill(list, el('li', problemView(error)));
    }
  }

  function draw() {
    const shown = changes.slice(0, count);
    const older = () => { count += SOME; draw(); };
    refill(list, [shown, changes.length], () => [
      shown.map((change) => changeView(change, change.number === chosen)),
      shown.length < changes.length && el('li', el('button', { onclick: older }, 'Show older changes')),
      !changes.length && el('li.quiet', 'Nothing has been changed yet.')]);
  }

  /** Shows the difference of the change that was chosen. */
  function showDetail() {
    if (!chosen) return fill(detail, changes.length > 0 && el('p.quiet', 'Choose a change to see its difference.'));
    const before = changes.find(({ number }) => number === chosen)?.before;
    const diff = el('div');
    fill(detail, el('div.detail-head', el('h2', `Difference: change ${chosen}`),
      before && el('a', { href: `#/text@${before}` }, 'The whole text before it'),
      mayEdit && el('div.buttons', el('button', { onclick: () => take('Revert') }, 'Revert'),
        el('button', { onclick: () => take('Go back') }, `Go back to before change ${chosen}`))), diff);
    showWhenRead(diff, async () => {
      const { body } = await api.get(`history/${chosen}`, { format: 'diff', secrets: 'masked' });
      return body ? diffView(body) : el('p', 'There is no difference.');
    });
  }

  /** @param {typeof way} which */
  function take(which) {
    way = which;
    accepted.length = 0;
    offerWayBack();
  }

  const cancel = () => el('button', { onclick: showDetail }, 'Cancel');

  /** What this way undoes: one change, or all since. */
  function undone() {
    if (way === 'Revert') return el('p.quiet', 'It undoes this change alone, and keeps the later ones.');
    const since = changes.filter(({ number, unsaved }) => number >= chosen && !unsaved);
    return el('details.undone', { open: since.length <= FEW }, el('summary', `It undoes ${counted(since.length, 'change')}`),
      el('ol.changes', since.map((change) => changeView(change))));
  }

  /** Shows what going back would change, and asks. @param {ApplyForm} [known] the form of an earlier difference, which does not hold any more */
  async function offerWayBack(known) {
    await showWhenRead(detail, async () => {
      const { body: { revisions, state: conditions } } = await api.get('status');
      revision = conditions.includes('edited-by-hand') ? revisions.file : revisions.running;
      const { body, notes } = await rollBack({ dry_run: true });
      if (!body) return el('p', way === 'Revert' ? 'The configuration has nothing of this change any more.' : 'The configuration already has this text.');
      const form = known ?? new ApplyForm(way, () => {}, () => goBack(form));
      if (!known) form.buttons.append(cancel());
      return [el('h2', way === 'Revert' ? `Revert change ${chosen}` : `Go back to before change ${chosen}`), undone(),
        known && el('p.warning', { role: 'alert' }, 'Somebody else has changed the configuration. Look at the new difference.'),
        notesView(notes),
        diffView(body), form.element];
    }, (guard) => { accepted.push(guard); offerWayBack(known); });
    if (!detail.querySelector('.apply')) detail.append(cancel());
    detail.querySelector('input')?.focus();
  }

  /** @param {object} how */
  function rollBack(how) {
    const request = { operation: way === 'Revert' ? { revert: [chosen] } : { rollback: `${chosen}` }, options: { ...how, ...accepting(accepted) } };
    return api.post('change', { format: 'diff', secrets: 'masked' }, request);
  }

  /** @param {ApplyForm} form */
  async function goBack(form) {
    const { why: message, confirm } = form.wanted;
    form.button.disabled = true;
    const busy = el('span');
    form.buttons.append(busy);
    try {
      const answer = await told(busy, rollBack({ message: message || null, confirm: confirm || null, only_if: { 'one-of': [revision] } }), 'The change is being made …');
      pending = answer.pending;
      tellApplied(state, pending, confirm);
      const done = way === 'Revert' ? `Change ${chosen} is undone` : 'The earlier text is the configuration again';
      fill(detail, el('p', `${done}${pending ? ', until it is kept or rolled back' : ''}.`));
      await read();
    } catch (error) {
      form.button.disabled = false;
      busy.remove();
      if (['stale', 'conflict'].includes(asProblem(error).name)) return offerWayBack(form);
      detail.querySelector('.problem')?.remove();
      form.element.before(problemView(error));
    }
  }

  state.subscribe(['status', 'applied'], async () => {
    const isOver = pending && state.applied !== pending;
    if (isOver) pending = null;
    const last = changes[0]?.number;
    await read();
    if (changes[0]?.number !== last) state.announce('The history has a new change.');
    if (isOver) showDetail();
  }, signal);
  told(detail, read()).then(showDetail);
}

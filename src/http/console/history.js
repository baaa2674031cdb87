// The view `history`.

import { el, fill } from './dom.js';

/** @type {import('./router.js').Show} */
export function show(main, _state, place) {
  fill(main, el('h1', {}, [place.view, ...place.rest].join(' ')));
  return () => {};
}

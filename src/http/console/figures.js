// Times and counts in words.

import { el } from './dom.js';

/** The seconds of each unit of a time, the largest first. @type {Record<string, number>} */
export const UNITS = { d: 86400, h: 3600, m: 60, s: 1 };

/** The paths of a change that are named. */
const NAMED = 3;

/** A time as the reader's clock shows it: of today the hour, else the day, too. @param {string} at ISO 8601 */
export function shownTime(at) {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString('en-GB', { dateStyle: isToday ? undefined : 'medium', timeStyle: 'medium' });
}

/** A time as an element. @param {string} at ISO 8601 */
export function timeView(at) {
  return el('time', { datetime: at }, shownTime(at));
}

/** A time that is left, as a clock shows it. @param {number} seconds */
export function clockWords(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** A count of things: `1 line`, `2 lines`. @param {number} count @param {string} thing */
export function counted(count, thing) {
  return `${number(count)} ${thing}${count === 1 ? '' : 's'}`;
}

/** A count with narrow blanks between its thousands, as French has them. @param {number} count */
export function number(count) {
  return count.toLocaleString('fr');
}

/**
 * The first paths of a change, and how many more it has.
 * @param {readonly string[]} paths those that are known
 * @param {number} count of all
 */
export function firstOf(paths, count) {
  return paths.slice(0, NAMED).join(', ') + (count > NAMED ? ` and ${count - NAMED} more` : '');
}

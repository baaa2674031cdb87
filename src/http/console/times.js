// Times in words.

/**
 * A time as the reader's clock shows it: of today the hour, else the day, too.
 * @param {string} at ISO 8601
 */
export function shownTime(at) {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  const isToday = time.toDateString() === new Date().toDateString();
  /** @type {Intl.DateTimeFormatOptions} */
  const hour = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
  return isToday ? time.toLocaleTimeString('en-GB', hour)
    : time.toLocaleString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });
}

/** How numbers, times and durations are written: as the viewer's language and time zone have them. */

const NUMBER = new Intl.NumberFormat();
const DECIMAL = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const MINUTE = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const DATE = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function number(value) {
  return NUMBER.format(value);
}

/** A number that may be greater: 1,000+. */
export function atLeast(value, exact) {
  return exact ? number(value) : `${number(value)}+`;
}

/** A number in little room, which may be greater: 950, 20k+. */
export function brief(value, exact) {
  const text = value < 10_000 ? number(value) : `${Math.floor(value / 1000)}k`;
  return exact ? text : `${text}+`;
}

/** Few digits: 0.4, 12, 1,250. */
export function rate(value) {
  return value < 10 ? DECIMAL.format(value) : NUMBER.format(Math.round(value));
}

export function plural(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

export function duration(ms) {
  if (ms < SECOND_MS) {
    return `${Math.round(ms)} ms`;
  }
  if (ms < MINUTE_MS) {
    return `${rate(ms / SECOND_MS)} s`;
  }
  if (ms < HOUR_MS) {
    return `${Math.floor(ms / MINUTE_MS)} min`;
  }
  if (ms < DAY_MS) {
    return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`;
  }
  return `${Math.floor(ms / DAY_MS)} d ${Math.floor((ms % DAY_MS) / HOUR_MS)} h`;
}

/** The time of day, with the date unless it is today's. */
export function moment(iso) {
  const time = new Date(iso);
  const now = new Date();
  if (time.toDateString() === now.toDateString()) {
    return CLOCK.format(time);
  }
  const date = time.getFullYear() === now.getFullYear() ? DAY : DATE;
  return `${date.format(time)}, ${CLOCK.format(time)}`;
}

export function minute(ms) {
  return MINUTE.format(new Date(ms));
}

/** The day and the time of day. */
export function dayAndMinute(ms) {
  return `${DAY.format(new Date(ms))}, ${minute(ms)}`;
}

/** The day alone. */
export function day(ms) {
  return DAY.format(new Date(ms));
}

/** How long ago, or in how long. */
export function distance(iso) {
  const ms = Date.now() - new Date(iso).getTime();
  if (Math.abs(ms) < SECOND_MS) {
    return 'now';
  }
  return ms > 0 ? `${duration(ms)} ago` : `in ${duration(-ms)}`;
}

/** What an input of date and time holds, in the viewer's zone. */
export function toLocalInput(iso) {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) {
    return '';
  }
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

export function fromLocalInput(text) {
  return text === '' ? '' : new Date(text).toISOString();
}

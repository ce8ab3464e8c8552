/** Why an event failed: the first thing that who opens it wants to know. */
import { h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { failure } from '../failure.js';
import { duration, plural } from '../format.js';
import { href } from '../router.js';
import { Copy } from './copy.js';
import { Icon } from './icon.js';
import { Load } from './load.js';
import { Ago } from './time.js';

/** Events in these states have failed for good, or fail again and again. */
const FAILED = new Set(['DEAD', 'MOVED', 'RETRY', 'TO_RETRY']);

/** Properties: `event`. */
export function Why({ event }) {
  if (!event.error || !FAILED.has(event.status)) {
    return null;
  }
  const { root, exception, between, trace } = failure(event.error);
  const isOver = event.status !== 'RETRY';
  return h(
    'section',
    { class: `card why ${isOver ? 'bad' : 'warn'}`, 'aria-labelledby': 'why-title' },
    h(
      'div',
      { class: 'card-head' },
      h(Icon, { name: 'alert' }),
      h('h2', { id: 'why-title' }, isOver ? 'Why it failed' : 'Why the last attempt failed'),
      h(Copy, { text: event.error, what: 'error' }),
    ),
    h('p', { class: 'mono wrap why-cause' }, root),
    exception && h('p', { class: 'mono small wrap muted' }, `in ${exception}`),
    between.map((cause) => h('p', { class: 'mono small wrap muted', key: cause }, `by ${cause}`)),
    h('p', { class: 'small' }, h(Attempts, { event })),
    event.fingerprint && h(Alike, { event }),
    trace && h('details', null, h('summary', { class: 'small' }, 'Stack trace'), h('pre', { class: 'code', tabIndex: 0, 'aria-label': 'Stack trace' }, trace)),
  );
}

function Attempts({ event }) {
  const { history, attempts } = event;
  const count = Math.max(attempts, history.length);
  const last = history.at(-1);
  const took = last && history.length > 1 ? Date.parse(last.at) - Date.parse(history[0].at) : 0;
  return [
    `${plural(count, 'attempt')}${took > 0 ? ` in ${duration(took)}` : ''}`,
    last && [', the last ', h(Ago, { at: last.at }), last.node && [' on ', h('span', { class: 'mono' }, last.node)]],
    '. ',
  ];
}

/** The dead events with the same failure, with their number as soon as that is known. */
function Alike({ event }) {
  const filter = { status: 'MOVED', eventType: event.eventType, fingerprint: event.fingerprint };
  const link = (text) => h('a', { class: 'small', href: href('dead', { view: 'letters', ...filter }) }, text);
  return h(Load, {
    id: event.id,
    tick: event.status,
    load: async (signal) => {
      try {
        return await get('count/dead-letters', filter, signal);
      } catch {
        return null;
      }
    },
    skeleton: link('Others with the same failure'),
    show: (count) => (count === null ? link('Others with the same failure') : link(others(event, count))),
  });
}

function others({ status }, { matches, exact }) {
  const number = matches - (status === 'MOVED' || status === 'DEAD' ? 1 : 0);
  if (number <= 0) {
    return exact ? 'No other dead event has the same failure' : 'Others with the same failure';
  }
  return `${exact ? '' : 'At least '}${plural(number, 'other dead event')} with the same failure`;
}

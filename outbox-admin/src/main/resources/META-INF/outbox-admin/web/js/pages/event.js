/** One event: why it failed, what was tried, what it is, what it carries, and what can be done to it. */
import { h } from '../../lib/preact.mjs';
import { get, segment } from '../api.js';
import { deadTitle } from '../dead.js';
import { number } from '../format.js';
import { listOf } from '../list.js';
import { eventHref, href } from '../router.js';
import { traceId, traceLink } from '../trace.js';
import { Badge } from '../parts/badge.js';
import { Copy } from '../parts/copy.js';
import { EventActions } from '../parts/event-actions.js';
import { Icon } from '../parts/icon.js';
import { Load } from '../parts/load.js';
import { PageHead } from '../parts/page-head.js';
import { Payload } from '../parts/payload.js';
import { Skeleton } from '../parts/states.js';
import { Ago, Time } from '../parts/time.js';
import { Timeline } from '../parts/timeline.js';
import { Why } from '../parts/why.js';

const MOST_ACTIONS = 20;

export function EventPage({ id, tick, changes, session, canOperate }) {
  return h(
    'div',
    null,
    h(Crumbs, { id, session }),
    h(Load, {
      id,
      tick,
      isPage: true,
      load: (signal) => get(`events/${segment(id)}`, {}, signal),
      skeleton: h(Skeleton, { lines: 3, kind: 'chart' }),
      show: (event) => h(Event, { event, changes, session, canOperate }),
    }),
  );
}

/** Where this is: in the list that it was opened from, between its neighbours there. */
function Crumbs({ id, session }) {
  const list = listOf(id);
  const step = (key, label, icon, to) => to && h('a', { class: 'button small', href: eventHref(to), 'aria-label': `${label} in the list (${key})`, title: `${label} in the list (${key})`, 'data-step': key }, h(Icon, { name: icon }));
  return h(
    'nav',
    { class: 'crumbs', 'aria-label': 'Where this is' },
    h('a', { href: list?.address ?? href('events') }, list?.page === 'dead' ? deadTitle(session) : 'Events'),
    h('span', { 'aria-hidden': 'true' }, '/'),
    h('span', { class: 'mono clip' }, id),
    h('span', { class: 'grow' }),
    list && list.size > 1 && h('span', { class: 'nowrap' }, `${number(list.place)} of ${number(list.size)}`),
    list && step('k', 'Previous', 'previous', list.previous),
    list && step('j', 'Next', 'next', list.next),
  );
}

function Event({ event, changes, session, canOperate }) {
  return h(
    'div',
    null,
    h(
      PageHead,
      { title: event.eventType ?? 'Event of unknown type' },
      h(Badge, { state: event.status }),
      canOperate && h(EventActions, { event, session }),
    ),
    h(Why, { event }),
    h(
      'div',
      { class: 'columns event-columns' },
      h('div', null, h(Steps, { event, changes }), h(Facts, { event })),
      h('div', null, h(Payload, { payload: event.payload, encoding: event.payloadEncoding, isMasked: session.masked }), h(Headers, { headers: event.headers, session })),
    ),
  );
}

/** The timeline, with what operators did as soon as that is known; without, should it not be. */
function Steps({ event, changes }) {
  return h(Load, {
    id: event.id,
    tick: `${changes} ${event.status} ${event.updatedAt}`,
    load: async (signal) => {
      try {
        return (await get('audit', { event: event.id, from: event.createdAt, limit: MOST_ACTIONS }, signal)).items;
      } catch {
        return [];
      }
    },
    skeleton: h(Timeline, { event, actions: [] }),
    show: (actions) => h(Timeline, { event, actions }),
  });
}

function Facts({ event }) {
  const facts = [
    ['Id', h('span', { class: 'mono wrap' }, event.id, h(Copy, { text: event.id, what: 'id' }))],
    ['Where', event.location === 'outbox' ? 'Outbox' : 'Dead letters'],
    ['Aggregate', event.aggregateType && h('span', { class: 'wrap' }, event.aggregateType, event.aggregateId && [' ', h('span', { class: 'mono' }, event.aggregateId)])],
    ['Tenant', event.tenantId && h('span', { class: 'wrap' }, event.tenantId)],
    ['Created', [h(Time, { at: event.createdAt }), ' ', h('span', { class: 'muted' }, '(', h(Ago, { at: event.createdAt }), ')')]],
    ['Attempts', number(Math.max(event.attempts, event.history.length))],
    ['Locked by', event.lockedBy && [h('span', { class: 'mono wrap' }, event.lockedBy), ' since ', h(Time, { at: event.lockedAt })]],
    ['Fingerprint', event.fingerprint && h('a', { class: 'mono wrap', href: href('dead', { view: 'letters', fingerprint: event.fingerprint, eventType: event.eventType }) }, event.fingerprint)],
    ['Audit log', h('a', { href: href('audit', { event: event.id }) }, 'What operators did')],
  ];
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'facts-title' },
    h('h2', { id: 'facts-title' }, 'Event'),
    h('dl', { class: 'facts' }, facts.filter(([, value]) => value).map(([name, value]) => [h('dt', { key: name }, name), h('dd', { key: `${name} value` }, value)])),
  );
}

function Headers({ headers, session }) {
  const names = Object.keys(headers);
  const trace = traceId(headers);
  const link = trace && session.traceUrl && traceLink(session.traceUrl, trace);
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'headers-title' },
    h('div', { class: 'card-head' }, h('h2', { id: 'headers-title' }, 'Headers'), link && h('a', { class: 'button small', href: link, target: '_blank', rel: 'noopener noreferrer' }, 'Show the trace', h(Icon, { name: 'link' }))),
    names.length === 0
      ? h('p', { class: 'muted' }, 'It has none.')
      : h('dl', { class: 'facts' }, names.map((name) => [h('dt', { class: 'mono', key: name }, name), h('dd', { class: 'mono wrap', key: `${name} value` }, headers[name] ?? 'null')])),
  );
}

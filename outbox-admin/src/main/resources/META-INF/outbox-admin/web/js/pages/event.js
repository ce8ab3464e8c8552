/** One event: what it is, what was tried, what it carries, and what can be done to it. */
import { h } from '../../lib/preact.mjs';
import { get, segment } from '../api.js';
import { number } from '../format.js';
import { href } from '../router.js';
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

export function EventPage({ id, tick, session, canOperate }) {
  return h(
    'div',
    null,
    h('nav', { class: 'crumbs', 'aria-label': 'Where this is' }, h('a', { href: href('events') }, 'Events'), ' / ', h('span', { class: 'mono clip' }, id)),
    h(Load, {
      id,
      tick,
      load: (signal) => get(`events/${segment(id)}`, {}, signal),
      skeleton: h(Skeleton, { lines: 3, kind: 'chart' }),
      show: (event) => h(Event, { event, session, canOperate }),
    }),
  );
}

function Event({ event, session, canOperate }) {
  return h(
    'div',
    null,
    h(
      PageHead,
      { title: event.eventType ?? 'Event of unknown type' },
      h(Badge, { state: event.status }),
      canOperate && h(EventActions, { event, session }),
    ),
    h(
      'div',
      { class: 'columns wide-first' },
      h('div', null, h(Payload, { payload: event.payload, encoding: event.payloadEncoding, isMasked: session.masked }), h(Headers, { headers: event.headers, session })),
      h('div', null, h(Facts, { event }), h(Timeline, { event })),
    ),
  );
}

function Facts({ event }) {
  const facts = [
    ['Id', h('span', { class: 'mono wrap' }, event.id, h(Copy, { text: event.id, what: 'id' }))],
    ['Where', event.location === 'outbox' ? 'Outbox' : 'Dead letters'],
    ['Aggregate', event.aggregateType && h('span', { class: 'wrap' }, event.aggregateType, event.aggregateId && [' ', h('span', { class: 'mono' }, event.aggregateId)])],
    ['Tenant', event.tenantId && h('span', { class: 'wrap' }, event.tenantId)],
    ['Created', [h(Time, { at: event.createdAt }), ' ', h('span', { class: 'muted' }, '(', h(Ago, { at: event.createdAt }), ')')]],
    ['Attempts', number(event.attempts)],
    ['Locked by', event.lockedBy && [h('span', { class: 'mono wrap' }, event.lockedBy), ' since ', h(Time, { at: event.lockedAt })]],
    ['Fingerprint', event.fingerprint && h('a', { class: 'mono wrap', href: href('dead', { view: 'letters', fingerprint: event.fingerprint, eventType: event.eventType }) }, event.fingerprint)],
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

/** Cells of lists of events. */
import { h } from '../../lib/preact.mjs';
import { shortError } from '../failure.js';
import { eventHref } from '../router.js';

/** The type, which leads to the event, above its id. */
export function EventCell({ event }) {
  return h(
    'div',
    { class: 'event-cell' },
    h('a', { href: eventHref(event.id), class: 'clip strong', 'data-entry': true }, event.eventType ?? 'unknown type'),
    h('span', { class: 'mono small muted clip', title: event.id }, event.id),
  );
}

export function AggregateCell({ event }) {
  return h(
    'div',
    { class: 'event-cell' },
    h('span', { class: 'clip' }, event.aggregateType ?? '–'),
    event.aggregateId && h('span', { class: 'mono small muted clip', title: event.aggregateId }, event.aggregateId),
  );
}

export function ErrorCell({ error }) {
  return error ? h('span', { class: 'mono small clamp', title: error }, shortError(error)) : h('span', { class: 'muted' }, '–');
}

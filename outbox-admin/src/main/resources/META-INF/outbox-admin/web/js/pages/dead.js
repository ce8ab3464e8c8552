/**
 * Dead letters, in groups that failed alike or one by one, and what is done to all of them. Of an outbox without dead letters,
 * groups of dead events, which are one by one among the others.
 */
import { h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { atLeast, number, plural, shortError } from '../format.js';
import { href, withParams } from '../router.js';
import { Badge, stateName } from '../parts/badge.js';
import { BulkButtons, BulkList } from '../parts/bulk.js';
import { AggregateCell, ErrorCell, EventCell } from '../parts/event-cells.js';
import { Filters } from '../parts/filters.js';
import { Load } from '../parts/load.js';
import { PageHead } from '../parts/page-head.js';
import { Pager } from '../parts/pager.js';
import { Empty, Skeleton } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

const PAGE = 50;
const GROUPS = 100;
const STATES = ['MOVED', 'TO_RETRY', 'RESOLVED'];

/** What a bulk action takes, too, so that it hits what is shown. */
const MATCHES = [
  { name: 'eventType', label: 'Type' },
  { name: 'aggregateType', label: 'Aggregate type' },
  { name: 'aggregateId', label: 'Aggregate id' },
  { name: 'tenantId', label: 'Tenant' },
  { name: 'error', label: 'Error contains' },
  { name: 'from', label: 'Created from', kind: 'time' },
  { name: 'to', label: 'Created before', kind: 'time' },
  { name: 'fingerprint', label: 'Fingerprint of the error' },
];

const FIELDS = [
  { name: 'status', label: 'State', kind: 'choice', options: [['', 'All'], ...STATES.map((state) => [state, stateName(state)])] },
  ...MATCHES,
];

const PARAMS = ['after', ...FIELDS.map((field) => field.name)];

export function DeadPage(props) {
  const hasLetters = props.session.deadLetters;
  const isGroups = !hasLetters || props.query.get('view') !== 'letters';
  return h(
    'div',
    null,
    h(
      PageHead,
      { title: hasLetters ? 'Dead letters' : 'Dead events', lead: 'Events that are not tried any more, and wait for a decision.' },
      h(Views, { isGroups, hasLetters }),
    ),
    h(BulkList, { tick: props.changes, canOperate: props.canOperate }),
    h(isGroups ? Groups : Letters, props),
  );
}

function Views({ isGroups, hasLetters }) {
  const link = (label, address, isCurrent) => h('a', { href: address, 'aria-current': isCurrent ? 'true' : undefined }, label);
  return h(
    'div',
    { class: 'segments', role: 'group', 'aria-label': 'View' },
    link('Failure groups', href('dead'), isGroups),
    hasLetters ? link('Letters', href('dead', { view: 'letters' }), !isGroups) : link('One by one', href('events', { status: 'DEAD' }), false),
  );
}

function Groups({ slowTick, canOperate, session }) {
  const hasLetters = session.deadLetters;
  return h(Load, {
    id: 'groups',
    tick: slowTick,
    load: (signal) => get('groups', { limit: GROUPS }, signal),
    skeleton: h(Skeleton, { lines: 4, kind: 'group' }),
    show: ({ items }) =>
      items.length === 0
        ? h(Empty, { title: hasLetters ? 'No dead letters' : 'No dead events' }, 'Nothing waits for a decision.')
        : h('ul', { class: 'groups' }, items.map((group) => h(Group, { group, hasLetters, canOperate, key: `${group.eventType} ${group.fingerprint}` }))),
  });
}

/** A group without a type has no actions: a filter without one would mean any type. */
function Group({ group, hasLetters, canOperate }) {
  const filter = { eventType: group.eventType, fingerprint: group.fingerprint };
  const address = hasLetters ? href('dead', { view: 'letters', status: 'MOVED', ...filter }) : href('events', { status: 'DEAD', ...filter });
  return h(
    'li',
    { class: 'card group' },
    h(
      'div',
      { class: 'group-head' },
      h('span', { class: 'group-count', title: group.exact ? 'How many events' : 'How many events, at least' }, atLeast(group.count, group.exact)),
      h('a', { class: 'strong clip', href: address, 'data-entry': true }, group.eventType ?? 'unknown type'),
      h('span', { class: 'grow' }),
      canOperate && group.eventType && h(BulkButtons, { filter, what: `group of ${group.eventType}`, canResolve: hasLetters, small: true }),
    ),
    h('p', { class: 'mono group-error clamp', title: group.error }, shortError(group.error ?? 'no error')),
    h('p', { class: 'muted small' }, hasLetters ? 'First ' : 'Written: first ', h(Time, { at: group.firstSeen }), ', last ', h(Time, { at: group.lastSeen }), h('span', { class: 'fingerprint mono' }, group.fingerprint)),
  );
}

function Letters({ query, changes, canOperate }) {
  const params = Object.fromEntries(PARAMS.map((name) => [name, query.get(name)]));
  const names = MATCHES.map((field) => field.name).filter((name) => query.has(name));
  const filter = Object.fromEntries(names.map((name) => [name, query.get(name)]));
  const hasUndecided = !query.has('status') || query.get('status') === 'MOVED';
  return h(
    'div',
    null,
    h(Filters, { query, fields: FIELDS }),
    canOperate && hasUndecided && h('div', { class: 'hint' }, h('span', { class: 'grow' }, 'All undecided letters that match, on this page and all others:'), h(BulkButtons, { filter, what: 'all that match', canResolve: true })),
    h(Load, {
      id: JSON.stringify(params),
      tick: changes,
      load: (signal) => get('dead-letters', { ...params, limit: PAGE }, signal),
      skeleton: h('div', { class: 'card flush' }, h(Skeleton, { lines: 12 })),
      show: (page) => h(LetterTable, { page, query }),
    }),
  );
}

function LetterTable({ page, query }) {
  if (page.items.length === 0 && page.next === null) {
    return h(Empty, { title: 'No such letters' }, h('a', { href: withParams(Object.fromEntries(PARAMS.map((name) => [name, null]))) }, 'Show all'));
  }
  const isAnyDecided = page.items.some((letter) => letter.updatedBy);
  return h(
    'div',
    { class: 'card flush' },
    page.items.length === 0
      ? h(Empty, { icon: 'search', title: 'Nothing so far' }, 'None of the letters looked at match, and there are more to look at.')
      : h(Table, {
          caption: 'Dead letters, the oldest first',
          id: (letter) => letter.id,
          rows: page.items,
          columns: [
            { label: 'Event', cell: (letter) => h(EventCell, { event: letter }), kind: 'main-cell' },
            { label: 'State', cell: (letter) => h(Badge, { state: letter.status }) },
            { label: 'Aggregate', cell: (letter) => h(AggregateCell, { event: letter }) },
            { label: 'Attempts', cell: (letter) => number(letter.attempts), kind: 'number' },
            { label: 'Died', cell: (letter) => h(Time, { at: letter.movedAt }), kind: 'nowrap' },
            { label: 'Error', cell: (letter) => h(ErrorCell, { error: letter.error }), kind: 'error-cell' },
            isAnyDecided && { label: 'Changed by', cell: (letter) => h('span', { class: 'clip' }, letter.updatedBy ?? '–') },
          ].filter(Boolean),
        }),
    h(Pager, { query, next: page.next }, `${plural(page.items.length, 'letter')} on this page`),
  );
}

/** Dead events, in groups that failed alike or one by one, and what is done to all of them. */
import { h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { deadTitle } from '../dead.js';
import { shortError } from '../failure.js';
import { atLeast, number } from '../format.js';
import { href, withParams } from '../router.js';
import { remember } from '../list.js';
import { search } from '../search.js';
import { Badge } from '../parts/badge.js';
import { BulkButtons, BulkList } from '../parts/bulk.js';
import { Chips } from '../parts/chips.js';
import { byGrowth, byLastSeen, groupFilter, groupHref, Growth } from '../parts/latest-failures.js';
import { AggregateCell, ErrorCell, EventCell } from '../parts/event-cells.js';
import { Filters } from '../parts/filters.js';
import { Load } from '../parts/load.js';
import { PageHead } from '../parts/page-head.js';
import { Pager } from '../parts/pager.js';
import { SearchLoad } from '../parts/search-load.js';
import { Empty, Skeleton } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Ticks } from '../parts/ticks.js';
import { Ago, Time } from '../parts/time.js';
import { Total } from '../parts/total.js';

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

const PARAMS = ['after', 'status', ...MATCHES.map((field) => field.name)];

export function DeadPage(props) {
  const isGroups = props.query.get('view') !== 'letters';
  return h(
    'div',
    null,
    h(PageHead, { title: deadTitle(props.session), lead: 'Events that are not tried any more, and wait for a decision.' }, h(Views, { isGroups })),
    h(BulkList, { tick: props.changes, canOperate: props.canOperate }),
    h(isGroups ? Groups : Letters, props),
  );
}

function Views({ isGroups }) {
  const link = (label, address, isCurrent) => h('a', { href: address, 'aria-current': isCurrent ? 'true' : undefined }, label);
  return h(
    'div',
    { class: 'segments', role: 'group', 'aria-label': 'View' },
    link('Failure groups', href('dead'), isGroups),
    link('One by one', href('dead', { view: 'letters' }), !isGroups),
  );
}

const ORDERS_OF_GROUPS = [
  ['', 'Last seen'],
  ['growth', 'Growth'],
  ['count', 'Count'],
];

const ORDERS_OF_LETTERS = [
  ['', 'Newest'],
  ['oldest', 'Oldest'],
];

/** Of groups alike, those that were seen last come first. */
function ordered(groups, order) {
  const latest = order === 'growth' ? byGrowth(groups) : byLastSeen(groups);
  return order === 'count' ? latest.sort((a, b) => b.count - a.count) : latest;
}

function Order({ order, orders }) {
  return h(
    'div',
    { class: 'order small muted' },
    'Order by',
    h(
      'div',
      { class: 'segments', role: 'group', 'aria-label': 'Order' },
      orders.map(([value, label]) => h('a', { href: withParams({ order: value, after: null }), 'aria-current': value === order ? 'true' : undefined, key: value }, label)),
    ),
  );
}

function Groups({ query, slowTick, canOperate, session }) {
  const order = query.get('order') ?? '';
  return h(Load, {
    id: 'groups',
    tick: slowTick,
    load: (signal) => get('groups', { limit: GROUPS }, signal),
    skeleton: h(Skeleton, { lines: 4, kind: 'group' }),
    show: ({ items }) =>
      items.length === 0
        ? h(Empty, { title: `No ${deadTitle(session).toLowerCase()}` }, 'Nothing waits for a decision.')
        : [
            h(Order, { order, orders: ORDERS_OF_GROUPS, key: 'order' }),
            h('ul', { class: 'card flush groups', key: 'groups' }, ordered(items, order).map((group) => h(Group, { group, session, canOperate, key: `${group.eventType} ${group.fingerprint}` }))),
          ],
  });
}

/** A group without a type has no actions: a filter without one would mean any type. */
function Group({ group, session, canOperate }) {
  const filter = groupFilter(group);
  return h(
    'li',
    { class: 'group' },
    h('span', { class: 'group-count', title: group.exact ? 'How many events' : 'How many events, at least' }, atLeast(group.count, group.exact)),
    h(
      'div',
      { class: 'group-what' },
      h('a', { class: 'strong clip', href: groupHref(group), 'data-entry': true }, group.eventType ?? 'unknown type'),
      h('p', { class: 'mono small clamp', title: group.error }, shortError(group.error ?? 'no error')),
    ),
    h(
      'p',
      { class: 'muted small group-when', title: `Fingerprint ${group.fingerprint}` },
      group.lately > 0 && h('span', null, h(Growth, { group })),
      group.lastSeen && h('span', null, session.hasHistory ? 'Last seen ' : 'Last written ', h(Ago, { at: group.lastSeen })),
      group.firstSeen && h('span', null, 'first ', h(Time, { at: group.firstSeen })),
    ),
    canOperate && group.eventType && h(BulkButtons, { filter, what: `group of ${group.eventType}`, canResolve: session.canResolve, small: true }),
  );
}

/** How many letters there are in a state, as far as that is known. */
function counts(live) {
  const all = live?.overview.deadLetters;
  return (state) => (all ? atLeast(all[state], all[state] < live.overview.countsStopAt) : null);
}

function Letters({ query, session, live, changes, canOperate }) {
  const order = query.get('order') ?? '';
  const params = { ...Object.fromEntries(PARAMS.map((name) => [name, query.get(name)])), order: order === 'oldest' ? 'oldest' : 'newest' };
  const names = MATCHES.map((field) => field.name).filter((name) => query.has(name));
  const filter = Object.fromEntries(names.map((name) => [name, query.get(name)]));
  const matches = MATCHES.filter((field) => field.name !== 'error' || !session.masked);
  const hasUndecided = !query.has('status') || query.get('status') === 'MOVED';
  return h(
    'div',
    null,
    session.canResolve && h(Chips, { query, states: STATES, counts: counts(live) }),
    h(Filters, { query, fields: matches, isFolded: true }),
    canOperate && hasUndecided && h('div', { class: 'hint' }, h('span', { class: 'grow' }, 'All undecided events that match, on this page and all others:'), h(BulkButtons, { filter, what: 'all that match', canResolve: session.canResolve })),
    h(Order, { order, orders: ORDERS_OF_LETTERS }),
    h(SearchLoad, {
      id: JSON.stringify(params),
      tick: changes,
      load: (signal, goesOn) => search('dead-letters', params, PAGE, signal, goesOn),
      skeleton: h('div', { class: 'card flush' }, h(Skeleton, { lines: 12 })),
      show: (page) => h(LetterTable, { page, query, params, changes, session, canOperate }),
    }),
  );
}

function LetterTable({ page, query, params, changes, session, canOperate }) {
  remember('dead', page.items.map((letter) => letter.id));
  if (page.items.length === 0 && page.next === null) {
    return h(Empty, { title: 'No such events' }, h('a', { href: withParams(Object.fromEntries(PARAMS.map((name) => [name, null]))) }, 'Show all'));
  }
  return h(
    'div',
    { class: 'card flush' },
    page.items.length === 0
      ? h(Empty, { icon: 'search', title: 'Nothing so far' }, 'None of the dead events searched so far match, and there are more to search.')
      : h(Ticks, {
          rows: page.items,
          canResolve: session.canResolve,
          show: (ticks) => h(LetterRows, { page, ticks: canOperate && ticks }),
        }),
    h(Pager, { query, next: page.next }, h(Total, { path: 'dead-letters', params, shown: page.items.length, tick: changes })),
  );
}

function LetterRows({ page, ticks }) {
  const isAnyDecided = page.items.some((letter) => letter.updatedBy);
  const isAnyMoved = page.items.some((letter) => letter.movedAt);
  return h(Table, {
    caption: 'Dead events, by the time at which they were written',
    id: (letter) => letter.id,
    rows: page.items,
    columns: [
      ticks,
      { label: 'Event', cell: (letter) => h(EventCell, { event: letter }), kind: 'main-cell' },
      { label: 'State', cell: (letter) => h(Badge, { state: letter.status }) },
      { label: 'Aggregate', cell: (letter) => h(AggregateCell, { event: letter }) },
      { label: 'Attempts', cell: (letter) => number(letter.attempts), kind: 'number' },
      isAnyMoved
        ? { label: 'Died', cell: (letter) => h(Time, { at: letter.movedAt }), kind: 'nowrap' }
        : { label: 'Created', cell: (letter) => h(Time, { at: letter.createdAt }), kind: 'nowrap' },
      { label: 'Error', cell: (letter) => h(ErrorCell, { error: letter.error }), kind: 'error-cell' },
      isAnyDecided && { label: 'Changed by', cell: (letter) => h('span', { class: 'clip' }, letter.updatedBy ?? '–') },
    ].filter(Boolean),
  });
}

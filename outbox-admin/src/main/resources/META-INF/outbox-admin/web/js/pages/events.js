/** All events of the outbox: filters in the address, one search for all of them, pages, and a live tail. */
import { Component, h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { deadTitle } from '../dead.js';
import { atLeast, number } from '../format.js';
import { href, withParams } from '../router.js';
import { remember } from '../list.js';
import { search } from '../search.js';
import { Badge } from '../parts/badge.js';
import { BulkButtons, BulkList } from '../parts/bulk.js';
import { Chips } from '../parts/chips.js';
import { AggregateCell, ErrorCell, EventCell } from '../parts/event-cells.js';
import { Filters } from '../parts/filters.js';
import { Icon } from '../parts/icon.js';
import { PageHead } from '../parts/page-head.js';
import { Pager } from '../parts/pager.js';
import { SearchLoad } from '../parts/search-load.js';
import { Empty, Skeleton } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Ticks } from '../parts/ticks.js';
import { Time } from '../parts/time.js';
import { TokenSearch } from '../parts/token-search.js';
import { Total } from '../parts/total.js';

const PAGE = 50;
const STATES = ['NEW', 'RETRY', 'DONE', 'DEAD'];
const WAITING = ['NEW', 'RETRY'];
const FILTERS = ['status', 'eventType', 'aggregateType', 'aggregateId', 'tenantId', 'error', 'fingerprint', 'from', 'to', 'payload'];

function fields(types, session) {
  return [
    { name: 'eventType', label: 'Type', suggestions: types },
    { name: 'aggregateType', label: 'Aggregate type' },
    { name: 'aggregateId', label: 'Aggregate id' },
    { name: 'tenantId', label: 'Tenant' },
    !session.masked && { name: 'error', label: 'Error contains' },
    !session.masked && { name: 'payload', label: 'Payload contains' },
    { name: 'from', label: 'Created from', kind: 'time' },
    { name: 'to', label: 'Created before', kind: 'time' },
    { name: 'fingerprint', label: 'Fingerprint of the error' },
  ].filter(Boolean);
}

export class EventsPage extends Component {
  known = null;
  state = { types: null };

  /** Types are asked for when somebody is about to type one. */
  onFocus = async ({ target }) => {
    if (target.list && !this.isAsked) {
      this.isAsked = true;
      try {
        const { items } = await get('types');
        this.setState({ types: items.map((each) => each.eventType) });
      } catch {
        this.isAsked = false;
      }
    }
  };

  /** The tail looks at what is newest only. */
  load = async (params, isTail, signal, goesOn) => {
    const page = await (isTail ? get('events', { ...params, limit: PAGE }, signal) : search('events', params, PAGE, signal, goesOn));
    const known = this.known;
    page.fresh = new Set(known === null ? [] : page.items.filter((event) => !known.has(event.id)).map((event) => event.id));
    this.known = new Set(page.items.map((event) => event.id));
    return page;
  };

  render({ query, session, live, tick, changes, canOperate }, state) {
    const params = Object.fromEntries(['after', ...FILTERS].map((name) => [name, query.get(name)]));
    const isTail = query.has('tail') && !query.has('after');
    const types = state.types ?? live?.overview.pending.map((each) => each.eventType) ?? [];
    return h(
      'div',
      { onFocusIn: this.onFocus },
      h(PageHead, { title: 'Events' }, h(TokenSearch, { query, values: { type: types, status: STATES }, without: session.masked ? ['error', 'text'] : [] }), h(TailSwitch, { isTail })),
      h(BulkList, { tick: changes, canOperate }),
      h(Chips, { query, states: STATES, counts: counts(live) }),
      h(Filters, { query, fields: fields(types, session), isFolded: true }),
      query.get('status') === 'DEAD' && h(DeadHint, { query, session }),
      canOperate && WAITING.includes(query.get('status')) && !query.has('payload') && h(WaitingHint, { query }),
      h(SearchLoad, {
        id: JSON.stringify(params),
        tick: isTail ? tick : changes,
        load: (signal, goesOn) => this.load(params, isTail, signal, goesOn),
        skeleton: h('div', { class: 'card flush' }, h(Skeleton, { lines: 12 })),
        show: (page) => h(Events, { page, query, params, isTail, changes, session, canOperate }),
      }),
    );
  }
}

/** A switch reacts to the space bar, which a link does not. */
function clickBySpace(event) {
  if (event.key === ' ') {
    event.preventDefault();
    event.currentTarget.click();
  }
}

function TailSwitch({ isTail }) {
  return h(
    'a',
    { class: isTail ? 'button on' : 'button', role: 'switch', 'aria-checked': String(isTail), onKeyDown: clickBySpace, href: withParams({ tail: isTail ? null : '1', after: null }) },
    h(Icon, { name: isTail ? 'pause' : 'play' }),
    'Live tail',
  );
}

/** Where dead events are decided on. */
function DeadHint({ query, session }) {
  const names = FILTERS.filter((name) => name !== 'status' && query.has(name));
  const filter = Object.fromEntries(names.map((name) => [name, query.get(name)]));
  return h('p', { class: 'hint' }, 'Decide on events that have died under ', h('a', { href: href('dead', { view: 'letters', ...filter }) }, deadTitle(session)), '.');
}

/** What is done to all that wait; a bulk action takes both states in which events wait, so it says so. */
function WaitingHint({ query }) {
  const names = FILTERS.filter((name) => name !== 'status' && query.has(name));
  const filter = Object.fromEntries(names.map((name) => [name, query.get(name)]));
  return h(
    'div',
    { class: 'hint' },
    h('span', { class: 'grow' }, 'All events that match and wait, new or to be tried again, on this page and all others:'),
    h(BulkButtons, { filter, what: 'all that wait', states: WAITING }),
  );
}

/** How many events there are in a state, as far as that is known. */
function counts(live) {
  if (!live) {
    return () => null;
  }
  const { counts: all, countsStopAt } = live.overview;
  const isOpenExact = all.NEW + all.RETRY < countsStopAt;
  return (state) => atLeast(all[state], WAITING.includes(state) ? isOpenExact : all[state] < countsStopAt);
}

function Events({ page, query, params, isTail, changes, session, canOperate }) {
  remember('events', page.items.map((event) => event.id));
  if (page.items.length === 0 && page.next === null) {
    return h(Empty, { icon: 'events', title: 'No such events' }, 'Nothing in the outbox matches. Events that were delivered are deleted after their retention.');
  }
  return h(
    'div',
    { class: 'card flush' },
    page.items.length === 0
      ? h(Empty, { icon: 'search', title: 'Nothing so far' }, 'None of the events searched so far match, and there are more to search.')
      : h(Ticks, {
          rows: page.items,
          canResolve: session.canResolve,
          show: (ticks) => h(EventTable, { page, isTail, ticks: canOperate && ticks }),
        }),
    h(Pager, { query, next: page.next }, isTail ? 'Follows what is written' : h(Total, { path: 'events', params, shown: page.items.length, tick: changes })),
  );
}

function EventTable({ page, isTail, ticks }) {
  return h(Table, {
    caption: 'Events, the latest first',
    id: (event) => event.id,
    rows: page.items,
    rowClass: (event) => (isTail && page.fresh.has(event.id) ? 'fresh' : ''),
    columns: [
      ticks,
      { label: 'Event', cell: (event) => h(EventCell, { event }), kind: 'main-cell' },
      { label: 'State', cell: (event) => h(Badge, { state: event.status }) },
      { label: 'Aggregate', cell: (event) => h(AggregateCell, { event }) },
      { label: 'Tenant', cell: (event) => h('span', { class: 'clip' }, event.tenantId ?? '–') },
      { label: 'Attempts', cell: (event) => number(event.attempts), kind: 'number' },
      { label: 'Created', cell: (event) => h(Time, { at: event.createdAt }), kind: 'nowrap' },
      { label: 'Last error', cell: (event) => h(ErrorCell, { error: event.error }), kind: 'error-cell' },
    ].filter(Boolean),
  });
}

/** All events of the outbox: filters in the address, search by id, pages, and a live tail. */
import { Component, createRef, h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { deadTitle } from '../dead.js';
import { number, plural } from '../format.js';
import { eventHref, go, href, withParams } from '../router.js';
import { remember } from '../list.js';
import { search } from '../search.js';
import { Badge, stateName } from '../parts/badge.js';
import { AggregateCell, ErrorCell, EventCell } from '../parts/event-cells.js';
import { Filters } from '../parts/filters.js';
import { Icon } from '../parts/icon.js';
import { Load } from '../parts/load.js';
import { PageHead } from '../parts/page-head.js';
import { Pager } from '../parts/pager.js';
import { Empty, Skeleton } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

const PAGE = 50;
const STATES = ['NEW', 'RETRY', 'DONE', 'DEAD'];
const FILTERS = ['status', 'eventType', 'aggregateType', 'aggregateId', 'tenantId', 'error', 'fingerprint', 'from', 'to'];

function fields(live, session) {
  return [
    { name: 'status', label: 'State', kind: 'choice', options: [['', 'All'], ...STATES.map((state) => [state, stateName(state)])] },
    { name: 'eventType', label: 'Type', suggestions: live?.overview.pending.map((each) => each.eventType) ?? [] },
    { name: 'aggregateType', label: 'Aggregate type' },
    { name: 'aggregateId', label: 'Aggregate id' },
    { name: 'tenantId', label: 'Tenant' },
    !session.masked && { name: 'error', label: 'Error contains' },
    { name: 'from', label: 'Created from', kind: 'time' },
    { name: 'to', label: 'Created before', kind: 'time' },
    { name: 'fingerprint', label: 'Fingerprint of the error' },
  ].filter(Boolean);
}

export class EventsPage extends Component {
  known = null;

  /** The tail looks at what is newest only. */
  load = async (params, isTail, signal) => {
    const page = await (isTail ? get('events', { ...params, limit: PAGE }, signal) : search('events', params, PAGE, signal));
    const known = this.known;
    page.fresh = new Set(known === null ? [] : page.items.filter((event) => !known.has(event.id)).map((event) => event.id));
    this.known = new Set(page.items.map((event) => event.id));
    return page;
  };

  render({ query, session, live, tick, changes }) {
    const params = Object.fromEntries(['after', ...FILTERS].map((name) => [name, query.get(name)]));
    const isTail = query.has('tail') && !query.has('after');
    return h(
      'div',
      null,
      h(PageHead, { title: 'Events' }, h(Search), h(TailSwitch, { isTail })),
      h(Filters, { query, fields: fields(live, session) }),
      query.get('status') === 'DEAD' && h(DeadHint, { query, session }),
      h(Load, {
        id: JSON.stringify(params),
        tick: isTail ? tick : changes,
        load: (signal) => this.load(params, isTail, signal),
        skeleton: h('div', { class: 'card flush' }, h(Skeleton, { lines: 12 })),
        show: (page) => h(Events, { page, query, isTail }),
      }),
    );
  }
}

function Search() {
  const input = createRef();
  const submit = (event) => {
    event.preventDefault();
    const id = input.current.value.trim();
    if (id !== '') {
      go(eventHref(id));
    }
  };
  return h(
    'form',
    { class: 'search', role: 'search', 'aria-label': 'Search an event by its id', onSubmit: submit },
    h(Icon, { name: 'search' }),
    h('input', { id: 'search', ref: input, type: 'text', placeholder: 'Event id', 'aria-label': 'Event id', autocomplete: 'off', spellcheck: false }),
  );
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

function Events({ page, query, isTail }) {
  remember('events', page.items.map((event) => event.id));
  if (page.items.length === 0 && page.next === null) {
    return h(Empty, { icon: 'events', title: 'No such events' }, 'Nothing in the outbox matches. Events that were delivered are deleted after their retention.');
  }
  return h(
    'div',
    { class: 'card flush' },
    page.items.length === 0
      ? h(Empty, { icon: 'search', title: 'Nothing so far' }, 'None of the events looked at in ten seconds match, and there are more to look at.')
      : h(Table, {
          caption: 'Events, the latest first',
          id: (event) => event.id,
          rows: page.items,
          rowClass: (event) => (isTail && page.fresh.has(event.id) ? 'fresh' : ''),
          columns: [
            { label: 'Event', cell: (event) => h(EventCell, { event }), kind: 'main-cell' },
            { label: 'State', cell: (event) => h(Badge, { state: event.status }) },
            { label: 'Aggregate', cell: (event) => h(AggregateCell, { event }) },
            { label: 'Tenant', cell: (event) => h('span', { class: 'clip' }, event.tenantId ?? '–') },
            { label: 'Attempts', cell: (event) => number(event.attempts), kind: 'number' },
            { label: 'Created', cell: (event) => h(Time, { at: event.createdAt }), kind: 'nowrap' },
            { label: 'Last error', cell: (event) => h(ErrorCell, { error: event.error }), kind: 'error-cell' },
          ],
        }),
    h(Pager, { query, next: page.next }, isTail ? 'Follows what is written' : `${plural(page.items.length, 'event')} on this page`),
  );
}

/** Keys blocked by an event that failed for good, and how to unblock them. */
import { Component, createRef, h } from '../../lib/preact.mjs';
import { perform } from '../actions.js';
import { get, post } from '../api.js';
import { atLeast, number, plural } from '../format.js';
import { eventHref, withParams } from '../router.js';
import { Dialog } from '../parts/dialog.js';
import { ErrorCell } from '../parts/event-cells.js';
import { Icon } from '../parts/icon.js';
import { Load } from '../parts/load.js';
import { PageHead } from '../parts/page-head.js';
import { Pager } from '../parts/pager.js';
import { Empty, Skeleton } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

const PAGE = 50;
const NEWEST = 'NEWEST';

export function BlockedPage({ query, session, slowTick, canOperate }) {
  if (!session.orderedByKey) {
    return h(Empty, { title: 'No order by key' }, 'This outbox does not deliver events in the order of their keys, so no key can be blocked.');
  }
  const order = query.get('order') === NEWEST ? NEWEST : 'OLDEST';
  const after = query.get('after');
  return h(
    'div',
    null,
    h(PageHead, { title: 'Blocked keys', lead: 'Keys whose events wait behind one that has failed for good. Resume it, or skip it.' }, h(Orders, { order })),
    h(Load, {
      id: `blocked ${order} ${after}`,
      tick: slowTick,
      load: (signal) => get('blocked-keys', { order, after, limit: PAGE }, signal),
      skeleton: h('div', { class: 'card flush' }, h(Skeleton, { lines: 6 })),
      show: (page) => h(Keys, { page, query, canOperate }),
    }),
  );
}

function Orders({ order }) {
  const link = (label, value) =>
    h('a', { href: withParams({ order: value, after: null }), 'aria-current': order === (value ?? 'OLDEST') ? 'true' : undefined }, label);
  return h('div', { class: 'segments', role: 'group', 'aria-label': 'Order' }, link('Oldest first', null), link('Newest first', NEWEST));
}

function Keys({ page, query, canOperate }) {
  if (page.items.length === 0) {
    return h(Empty, { title: 'No key is blocked' }, 'All keys are being delivered.');
  }
  return h(
    'div',
    { class: 'card flush' },
    h(Table, {
      caption: 'Blocked keys',
      id: (key) => `${key.key} ${key.eventId}`,
      rows: page.items,
      columns: [
        { label: 'Key', cell: (key) => h(KeyCell, { blocked: key }), kind: 'main-cell' },
        { label: 'Waiting', cell: (key) => atLeast(key.waiting, key.waitingExact), kind: 'number' },
        { label: 'Since', cell: (key) => h(Time, { at: key.since, none: 'unknown' }), kind: 'nowrap' },
        { label: 'Attempts', cell: (key) => number(key.attempts), kind: 'number' },
        { label: 'Error', cell: (key) => h(ErrorCell, { error: key.error }), kind: 'error-cell' },
        canOperate && { label: 'Actions', cell: (key) => h(Actions, { blocked: key }), kind: 'nowrap' },
      ].filter(Boolean),
    }),
    h(Pager, { query, next: page.next }, `${atLeast(page.keys, page.exact)} blocked, ${plural(page.waiting, 'event')}${page.exact ? '' : ' or more'} waiting`),
  );
}

/** The key, above the event that blocks it. */
function KeyCell({ blocked }) {
  return h(
    'div',
    { class: 'event-cell' },
    h('span', { class: 'mono strong clip', title: blocked.key }, blocked.key),
    h('a', { href: eventHref(blocked.eventId), class: 'small clip', 'data-entry': true, title: blocked.eventId }, `${blocked.eventType} ${blocked.eventId}`),
  );
}

class Actions extends Component {
  state = { isSkipping: false };

  close = () => this.setState({ isSkipping: false });

  render({ blocked }, { isSkipping }) {
    return h(
      'div',
      { class: 'buttons' },
      h('button', { class: 'button small primary', onClick: () => resume(blocked), 'aria-label': `Resume ${blocked.key}` }, h(Icon, { name: 'play' }), 'Resume'),
      h('button', { class: 'button small', onClick: () => this.setState({ isSkipping: true }), 'aria-label': `Skip ${blocked.key}` }, h(Icon, { name: 'next' }), 'Skip'),
      isSkipping && h(SkipDialog, { blocked, onClose: this.close }),
    );
  }
}

/** Asks why, for those who find the dead event later. */
class SkipDialog extends Component {
  reason = createRef();

  send = (submit) => {
    submit.preventDefault();
    const { blocked, onClose } = this.props;
    const reason = this.reason.current.value.trim();
    onClose();
    skip(blocked, reason === '' ? undefined : reason);
  };

  render({ blocked, onClose }) {
    return h(
      Dialog,
      { title: 'Skip this event?', onClose },
      h(
        'form',
        { onSubmit: this.send },
        h('p', null, `${blocked.eventType} ${blocked.eventId} is not delivered: it goes to the dead events. ${blocked.key} continues with the next event.`),
        h('div', { class: 'field' }, h('label', { for: 'skip-reason' }, 'Reason'), h('input', { id: 'skip-reason', ref: this.reason, maxLength: 1000, autocomplete: 'off' })),
        h(
          'div',
          { class: 'dialog-actions' },
          h('button', { class: 'button', type: 'button', onClick: onClose }, 'Cancel'),
          h('button', { class: 'button danger', type: 'submit' }, 'Skip'),
        ),
      ),
    );
  }
}

function resume({ key, eventId }) {
  return perform('The event is delivered again', 'The key was not resumed', () => post('blocked-keys/resume', { key, eventId }));
}

function skip({ key, eventId }, reason) {
  return perform('The event was skipped', 'The event was not skipped', () => post('blocked-keys/skip', { key, eventId, reason }));
}

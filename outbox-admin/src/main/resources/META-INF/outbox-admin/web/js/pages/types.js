/** Event types: how they are delivered, whether they are paused, and why a target is unavailable. */
import { h } from '../../lib/preact.mjs';
import { switchDelivery } from '../actions.js';
import { get, segment } from '../api.js';
import { shortError } from '../failure.js';
import { number, plural } from '../format.js';
import { href } from '../router.js';
import { Badge } from '../parts/badge.js';
import { Icon } from '../parts/icon.js';
import { Load } from '../parts/load.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Skeleton } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Ago } from '../parts/time.js';

export function TypesPage({ live, slowTick, canOperate }) {
  return h(
    'div',
    null,
    h(
      PageHead,
      { title: 'Types and lanes', lead: 'How this node delivers. Types without a lane of their own share one.' },
      live && h(Badge, { state: live.overview.state }),
      live && canOperate && h(DeliverySwitch, { state: live.overview.state }),
    ),
    h(Load, {
      id: 'types',
      tick: slowTick,
      load: (signal) => get('types', {}, signal),
      skeleton: h('div', { class: 'card flush' }, h(Skeleton, { lines: 6 })),
      show: ({ items, exact }) => h(Types, { items, exact, canOperate }),
    }),
  );
}

function DeliverySwitch({ state }) {
  if (state !== 'RUNNING' && state !== 'PAUSED') {
    return null;
  }
  const action = state === 'PAUSED' ? 'resume' : 'pause';
  return h(
    'button',
    { class: 'button', onClick: () => switchDelivery('delivery', action, 'All delivery of this node') },
    h(Icon, { name: action === 'pause' ? 'pause' : 'play' }),
    action === 'pause' ? 'Pause everything' : 'Resume everything',
  );
}

function Types({ items, exact, canOperate }) {
  if (items.length === 0) {
    return h(Empty, { icon: 'types', title: 'No types' }, 'No type has a lane, and nothing waits to be delivered.');
  }
  return h(
    'div',
    { class: 'card flush' },
    h(Table, {
      caption: 'Event types',
      id: (type) => type.eventType,
      rows: items,
      columns: [
        { label: 'Type', cell: (type) => h('a', { href: href('events', { eventType: type.eventType }), class: 'strong clip', 'data-entry': true }, type.eventType), kind: 'main-cell' },
        { label: 'State', cell: (type) => h(State, { type }) },
        { label: 'Pending', cell: (type) => `${number(type.pending)}${exact ? '' : '+'}`, kind: 'number' },
        { label: 'In process', cell: (type) => number(type.inProcess), kind: 'number' },
        { label: 'Oldest due', cell: (type) => (type.oldestDueAt ? h(Ago, { at: type.oldestDueAt }) : '–'), kind: 'nowrap' },
        { label: 'Policy', cell: (type) => h(Policy, { lane: type.lane, retries: type.retries }), kind: 'policy-cell' },
        { label: '', cell: (type) => canOperate && type.lane && h(TypeSwitch, { type }), kind: 'end' },
      ],
    }),
  );
}

function State({ type }) {
  if (type.unavailable) {
    return h(
      'div',
      { class: 'cause' },
      h(Badge, { state: 'UNAVAILABLE' }),
      h('span', { class: 'small wrap' }, shortError(type.unavailable.cause)),
      h('span', { class: 'small muted' }, 'since ', h(Ago, { at: type.unavailable.since })),
    );
  }
  return h(Badge, { state: type.paused ? 'PAUSED' : 'RUNNING' });
}

function Policy({ lane, retries }) {
  const attempts = retries && `${plural(retries.maxAttempts, 'attempt')}, after ${retries.delays}`;
  if (!lane) {
    return h('span', { class: 'small muted' }, ['Shared lane', attempts].filter(Boolean).join(' · '));
  }
  const parts = [
    attempts,
    `${number(lane.concurrency)} at a time`,
    lane.maxPerSecond > 0 && `at most ${number(lane.maxPerSecond)} per second`,
    lane.batchSize > 0 && `batches of ${number(lane.batchSize)}`,
    `queue of ${number(lane.queueCapacity)}`,
  ];
  return h('span', { class: 'small' }, parts.filter(Boolean).join(' · '));
}

function TypeSwitch({ type }) {
  const action = type.paused ? 'resume' : 'pause';
  return h(
    'button',
    {
      class: 'button small',
      'aria-label': `${type.paused ? 'Resume' : 'Pause'} ${type.eventType}`,
      onClick: () => switchDelivery(`types/${segment(type.eventType)}`, action, `Delivery of ${type.eventType}`),
    },
    h(Icon, { name: type.paused ? 'play' : 'pause' }),
    type.paused ? 'Resume' : 'Pause',
  );
}

/** Event types: how they are delivered, whether they are paused, and why a target is unavailable. */
import { h } from '../../lib/preact.mjs';
import { switchDelivery } from '../actions.js';
import { get, segment } from '../api.js';
import { shortError } from '../failure.js';
import { duration, number, plural, rate } from '../format.js';
import { href } from '../router.js';
import { Badge } from '../parts/badge.js';
import { Icon } from '../parts/icon.js';
import { Load } from '../parts/load.js';
import { PageHead } from '../parts/page-head.js';
import { Sparkline } from '../parts/sparkline.js';
import { Empty, Skeleton } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Ago } from '../parts/time.js';

export function TypesPage({ live, slowTick, canOperate }) {
  return h(
    'div',
    null,
    h(
      PageHead,
      { title: 'Types and lanes', lead: 'Types without their own lane share one. Rates are those of all nodes in the last five minutes.' },
      live && h(Badge, { state: live.overview.state }),
      live && canOperate && h(DeliverySwitch, { overview: live.overview }),
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

function DeliverySwitch({ overview: { state, pauses } }) {
  if (state !== 'RUNNING' && state !== 'PAUSED' && state !== 'WRITER_ONLY') {
    return null;
  }
  const action = state === 'PAUSED' || pauses.some((pause) => !pause.eventType && !pause.node) ? 'resume' : 'pause';
  return h(
    'button',
    { class: 'button', onClick: () => switchDelivery('delivery', action, 'Delivery on all nodes') },
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
        { label: 'Type', cell: (type) => h(Name, { type }), kind: 'main-cell type-cell' },
        { label: 'State', cell: (type) => h(State, { type }) },
        { label: 'Pending', cell: (type) => h(Backlog, { type, exact }), kind: 'number' },
        { label: 'In process', cell: (type) => number(type.inProcess), kind: 'number' },
        { label: 'Done/s', cell: (type) => h(Throughput, { rates: type.rates }), kind: 'number' },
        { label: 'Failed/min', cell: (type) => known(type.rates?.failedPerMinute, rate), kind: 'number' },
        { label: 'Wait, 95 %', cell: (type) => known(type.rates?.p95Ms, duration), kind: 'number' },
        canOperate && { label: 'Actions', cell: (type) => type.lane && h(TypeSwitch, { type }), kind: 'end' },
      ].filter(Boolean),
    }),
  );
}

function Name({ type }) {
  return h(
    'div',
    { class: 'lines' },
    h(
      'span',
      { class: 'type-name' },
      h('a', { href: href('events', { eventType: type.eventType }), class: 'strong clip', 'data-entry': true }, type.eventType),
      h('a', { href: href('', { eventType: type.eventType }), class: 'small', 'aria-label': `Charts of ${type.eventType}` }, 'Charts'),
    ),
    h(Policy, { lane: type.lane, retries: type.retries }),
  );
}

/** What is not known is not zero. */
function known(value, format) {
  return value === null || value === undefined ? '–' : format(value);
}

/** What waits, since when, and when nothing is left. */
function Backlog({ type, exact }) {
  const emptyIn = type.rates?.emptyInMs ?? null;
  return [
    `${number(type.pending)}${exact ? '' : '+'}`,
    type.oldestDueAt && h('span', { class: 'small muted under' }, 'due ', h(Ago, { at: type.oldestDueAt })),
    emptyIn !== null && h('span', { class: 'small muted under', title: 'What is due, at the rate of the last five minutes, if nothing is added' }, `empty in ${duration(emptyIn)}`),
  ];
}

function Throughput({ rates }) {
  return [known(rates?.donePerSecond, rate), rates && h(Sparkline, { minutes: rates.minutes })];
}

function State({ type }) {
  if (type.unavailable) {
    return h(
      'div',
      { class: 'cause' },
      h(Badge, { state: 'UNAVAILABLE' }),
      h('span', { class: 'small clamp', title: type.unavailable.cause }, shortError(type.unavailable.cause)),
      h('span', { class: 'small muted' }, 'since ', h(Ago, { at: type.unavailable.since })),
    );
  }
  if (!type.paused) {
    return h(Badge, { state: 'RUNNING' });
  }
  const { nodes, of } = type.pausedOn;
  return h(Badge, { state: 'PAUSED', text: nodes < of ? `Paused on ${number(nodes)} of ${plural(of, 'node')}` : undefined });
}

function Policy({ lane, retries }) {
  const attempts = retries && `${plural(retries.maxAttempts, 'attempt')}, after ${retries.delays}`;
  if (!lane) {
    return h('span', { class: 'small muted wrap' }, ['Shared lane', attempts].filter(Boolean).join(' · '));
  }
  const parts = [
    attempts,
    `${number(lane.concurrency)} at a time`,
    lane.maxPerSecond > 0 && `at most ${number(lane.maxPerSecond)} per second`,
    lane.batchSize > 0 && `batches of ${number(lane.batchSize)}`,
    `queue of ${number(lane.queueCapacity)}`,
  ];
  return h('span', { class: 'small muted wrap' }, parts.filter(Boolean).join(' · '));
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

/** How the outbox fares: health, figures, charts of the last hours, types, nodes. */
import { Component, h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { duration, number, rate } from '../format.js';
import { withParams } from '../router.js';
import { merge, points } from '../series.js';
import { Chart } from '../parts/chart.js';
import { Health } from '../parts/health.js';
import { Load } from '../parts/load.js';
import { Nodes } from '../parts/nodes.js';
import { PageHead } from '../parts/page-head.js';
import { Pending } from '../parts/pending.js';
import { Empty, Skeleton } from '../parts/states.js';
import { Tiles } from '../parts/tiles.js';

const RANGES = [
  ['15', '15 min'],
  ['60', '1 hour'],
  ['180', '3 hours'],
  ['360', '6 hours'],
];
const MOST_RECENT = 2200;

export class OverviewPage extends Component {
  recent = new Map();

  /** Live slots are collected, so that the charts go on without being loaded again. */
  collect(live) {
    live?.slots.forEach((slot) => this.recent.set(slot.at, slot));
    for (const at of this.recent.keys()) {
      if (this.recent.size <= MOST_RECENT) {
        break;
      }
      this.recent.delete(at);
    }
  }

  render({ query, live, session, tick }) {
    this.collect(live);
    const minutes = RANGES.some(([value]) => value === query.get('range')) ? query.get('range') : '60';
    return h(
      'div',
      null,
      h(PageHead, { title: 'Overview' }, h(Ranges, { minutes })),
      live ? h(Health, { overview: live.overview, session }) : h(Skeleton, { lines: 1, kind: 'tile' }),
      h(Load, {
        id: minutes,
        load: (signal) => get('series', { minutes }, signal),
        skeleton: h(Skeleton, { lines: 4, kind: 'chart' }),
        show: (series) => this.figures(series, Number(minutes), live),
      }),
      live && h('div', { class: 'columns' }, h(Pending, { overview: live.overview }), h(Nodes, { tick })),
    );
  }

  figures(series, minutes, live) {
    const slots = merge(series.items, [...this.recent.values()], minutes);
    return h(
      'div',
      null,
      live && h(Tiles, { overview: live.overview, slots, slotMs: series.slotMs }),
      slots.length < 2
        ? h(Empty, { icon: 'overview', title: 'No charts' }, 'This node was built without a series of what it does.')
        : h(Charts, { points: points(slots, series.slotMs) }),
    );
  }
}

function Ranges({ minutes }) {
  return h(
    'div',
    { class: 'segments', role: 'group', 'aria-label': 'Time shown' },
    RANGES.map(([value, label]) =>
      h('a', { href: withParams({ range: value }), 'aria-current': value === minutes ? 'true' : undefined, key: value }, label),
    ),
  );
}

function Charts({ points: all }) {
  return h(
    'div',
    { class: 'charts' },
    h(Chart, {
      title: 'Delivered per second',
      points: all,
      format: rate,
      lines: [{ name: 'Delivered', tone: 'tone-good', value: (point) => point.done, isFilled: true }],
    }),
    h(Chart, {
      title: 'Failures per minute',
      points: all,
      format: rate,
      lines: [
        { name: 'Failed attempts', tone: 'tone-warn', value: (point) => point.failed, isFilled: true },
        { name: 'Died', tone: 'tone-bad', value: (point) => point.dead },
      ],
    }),
    h(Chart, {
      title: 'Latency from write to delivery',
      points: all,
      format: duration,
      least: 10,
      lines: [
        { name: 'Mean', tone: 'tone-accent', value: (point) => point.latencyMs },
        { name: 'Longest', tone: 'tone-calm', value: (point) => point.maxLatencyMs },
      ],
    }),
    h(Chart, {
      title: 'Lag of the oldest due event',
      points: all,
      format: duration,
      least: 1000,
      lines: [{ name: 'Lag', tone: 'tone-bad', value: (point) => point.lagMs, isFilled: true }],
    }),
    h(Chart, {
      title: 'Queue depths',
      points: all,
      format: number,
      least: 10,
      lines: [
        { name: 'Hot queue', tone: 'tone-warn', value: (point) => point.hotQueue },
        { name: 'Cold queue', tone: 'tone-accent', value: (point) => point.coldQueue },
      ],
    }),
  );
}

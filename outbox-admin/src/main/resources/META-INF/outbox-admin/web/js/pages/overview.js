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
  lastAt = Infinity;
  gaps = 0;

  /** Live slots are collected, so that the charts need to be loaded again only if some were missed. */
  collect(slots) {
    if (slots.length === 0) {
      return;
    }
    if (Date.parse(slots[0].at) > this.lastAt) {
      this.gaps += 1;
    }
    this.lastAt = Date.parse(slots.at(-1).at);
    slots.forEach((slot) => this.recent.set(slot.at, slot));
    for (const at of this.recent.keys()) {
      if (this.recent.size <= MOST_RECENT) {
        break;
      }
      this.recent.delete(at);
    }
  }

  render({ query, live, slowTick }) {
    this.collect(live?.slots ?? []);
    const minutes = RANGES.some(([value]) => value === query.get('range')) ? query.get('range') : '60';
    const waiting = h(Skeleton, { lines: 4, kind: 'chart' });
    return h(
      'div',
      null,
      h(PageHead, { title: 'Overview' }, h(Ranges, { minutes })),
      live
        ? h(Load, {
            id: minutes,
            tick: this.gaps,
            load: (signal) => get('series', { minutes }, signal),
            skeleton: waiting,
            show: (series) => this.figures(series, Number(minutes), live.overview, slowTick),
          })
        : waiting,
    );
  }

  figures(series, minutes, overview, slowTick) {
    const slots = merge(series.items, [...this.recent.values()], minutes);
    return h(
      'div',
      null,
      h(Health, { overview }),
      h(Tiles, { overview, slots, slotMs: series.slotMs }),
      slots.length < 2
        ? h(Empty, { icon: 'overview', title: 'No charts' }, 'This node was built without a series of what it does.')
        : h(Charts, { points: points(slots, series.slotMs) }),
      h('div', { class: 'columns' }, h(Pending, { overview }), h(Nodes, { tick: slowTick })),
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
      title: 'Wait in the queues of this node',
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

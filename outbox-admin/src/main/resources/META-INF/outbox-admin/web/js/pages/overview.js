/** How the outbox fares on all nodes: health, figures, charts of up to a week, nodes, types. */
import { h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { dayAndMinute, duration, number, rate } from '../format.js';
import { withParams } from '../router.js';
import { knownSince, latest, points } from '../series.js';
import { Chart } from '../parts/chart.js';
import { Health } from '../parts/health.js';
import { Load } from '../parts/load.js';
import { Nodes } from '../parts/nodes.js';
import { PageHead } from '../parts/page-head.js';
import { Pending } from '../parts/pending.js';
import { Skeleton } from '../parts/states.js';
import { Tiles } from '../parts/tiles.js';

const RANGES = [
  ['15', '15 min'],
  ['60', '1 hour'],
  ['180', '3 hours'],
  ['360', '6 hours'],
  ['1440', '24 hours'],
  ['10080', '7 days'],
];

/** Nodes need a moment after each minute to tell what they did in it. */
const SETTLED_MS = 5000;

export function OverviewPage({ query, live, slowTick, session, canOperate }) {
  const minutes = RANGES.some(([value]) => value === query.get('range')) ? query.get('range') : '60';
  const node = query.get('node');
  const waiting = h(Skeleton, { lines: 4, kind: 'chart' });
  return h(
    'div',
    null,
    h(PageHead, { title: 'Overview' }, h(Ranges, { minutes })),
    live
      ? h(Load, {
          id: `${minutes} ${node}`,
          tick: Math.floor((Date.parse(live.overview.at) - SETTLED_MS) / 60_000),
          load: (signal) => get('series', { minutes, node }, signal),
          skeleton: waiting,
          show: ({ items }) => h(Figures, { all: points(items), node, overview: live.overview, slowTick, session, canOperate }),
        })
      : waiting,
  );
}

function Figures({ all, node, overview, slowTick, session, canOperate }) {
  return h(
    'div',
    null,
    h(Health, { overview }),
    h(Tiles, { overview, points: all }),
    node && h('p', { class: 'hint' }, h('span', { class: 'grow' }, 'Charts of node ', h('b', { class: 'mono' }, node)), h('a', { class: 'button small', href: withParams({ node: null }) }, 'All nodes')),
    h(Known, { all }),
    h(Charts, { points: all }),
    h('div', { class: 'stack' }, h(Nodes, { tick: slowTick, session, pauses: overview.pauses, canOperate }), h(Pending, { overview })),
  );
}

/** Says from when on there are figures: what is not known is not nothing. */
function Known({ all }) {
  const since = knownSince(all);
  if (since === undefined && latest(all)) {
    return null;
  }
  const text = since === undefined ? 'No figures yet: nodes tell theirs after each minute.' : `No figures before ${dayAndMinute(since)}.`;
  return h('p', { class: 'muted small' }, text);
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
      title: 'Wait from queue to listener',
      points: all,
      format: duration,
      least: 10,
      lines: [
        { name: 'Half within', tone: 'tone-good', value: (point) => point.p50Ms },
        { name: '95 %', tone: 'tone-accent', value: (point) => point.p95Ms },
        { name: '99 %', tone: 'tone-calm', value: (point) => point.p99Ms },
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

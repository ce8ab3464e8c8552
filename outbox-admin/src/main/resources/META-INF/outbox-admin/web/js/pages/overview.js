/** How the outbox fares on all nodes: health, figures, charts of up to a week, nodes, types. */
import { Component, h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { undecided } from '../dead.js';
import { dayAndMinute, number } from '../format.js';
import { withParams } from '../router.js';
import { knownSince, latest, points } from '../series.js';
import { Charts } from '../parts/charts.js';
import { Health } from '../parts/health.js';
import { LatestFailures } from '../parts/latest-failures.js';
import { Load } from '../parts/load.js';
import { Nodes } from '../parts/nodes.js';
import { PageHead } from '../parts/page-head.js';
import { Pending } from '../parts/pending.js';
import { Skeleton } from '../parts/states.js';
import { Table } from '../parts/table.js';
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
  const eventType = query.get('eventType');
  const waiting = h(Skeleton, { lines: 4, kind: 'chart' });
  return h(
    'div',
    null,
    h(PageHead, { title: 'Overview' }, h(Ranges, { minutes })),
    live
      ? h(Load, {
          id: `${minutes} ${node} ${eventType}`,
          tick: Math.floor((Date.parse(live.overview.at) - SETTLED_MS) / 60_000),
          load: (signal) => get('series', { minutes, node, eventType }, signal),
          skeleton: waiting,
          show: ({ items, failing }) => h(Figures, { all: points(items), failing, node, eventType, overview: live.overview, slowTick, session, canOperate }),
        })
      : waiting,
  );
}

class Figures extends Component {
  state = { nodes: [] };

  onNodes = (nodes) => this.setState({ nodes });

  render({ all, failing, node, eventType, overview, slowTick, session, canOperate }, { nodes }) {
    const { pauses } = overview;
    return h(
      'div',
      null,
      h(Health, { overview }),
      h(LatestFailures, { tick: slowTick, hasAny: undecided(overview).count > 0, session, canOperate }),
      h(Tiles, { overview, points: all, isPart: Boolean(node || eventType) }),
      h(Shown, { node, eventType }),
      h(Known, { all }),
      h(Charts, { points: all, marks: marks(nodes, pauses), eventType }),
      h('div', { class: 'stack' }, h(Nodes, { tick: slowTick, session, pauses, canOperate, onNodes: this.onNodes }), h(Failing, { failing }), h(Pending, { overview })),
    );
  }
}

/** What happened when: starts of nodes, and pauses that hold. */
function marks(nodes, pauses) {
  return [
    ...nodes.filter(({ detail }) => detail).map(({ node, detail }) => ({ at: Date.parse(detail.startedAt), text: `Node ${node} started` })),
    ...pauses.map((pause) => ({ at: Date.parse(pause.at), text: `${pause.eventType ?? 'All delivery'} paused by ${pause.by}` })),
  ];
}

/** Types by failures, in the time of the charts. */
function Failing({ failing }) {
  return (
    failing.length > 0 &&
    h(
      'section',
      { class: 'card flush', 'aria-labelledby': 'failing-title' },
      h('h2', { id: 'failing-title' }, 'Failures by type'),
      h(Table, {
        caption: 'Failed attempts in the time of the charts, by type',
        id: (row) => row.eventType,
        rows: failing,
        columns: [
          { label: 'Type', cell: (row) => h('a', { href: withParams({ eventType: row.eventType }), class: 'clip' }, row.eventType) },
          { label: 'Failed attempts', cell: (row) => number(row.failed), kind: 'number' },
          { label: 'Died', cell: (row) => number(row.dead), kind: 'number' },
        ],
      }),
    )
  );
}

/** Says whose charts these are, if not those of everything. */
function Shown({ node, eventType }) {
  if (!node && !eventType) {
    return null;
  }
  return h(
    'p',
    { class: 'hint' },
    h('span', { class: 'grow' }, 'Charts of ', eventType && ['type ', h('b', { class: 'wrap' }, eventType)], eventType && node && ' on ', node && ['node ', h('b', { class: 'mono wrap' }, node)]),
    eventType && h('a', { class: 'button small', href: withParams({ eventType: null }) }, 'All types'),
    node && h('a', { class: 'button small', href: withParams({ node: null }) }, 'All nodes'),
  );
}

/** Says from when on there are figures: what is not known is not nothing. */
function Known({ all }) {
  const since = knownSince(all);
  if (since === undefined && latest(all)) {
    return null;
  }
  const text = since === undefined ? 'No figures yet: nodes report theirs after each minute.' : `No figures before ${dayAndMinute(since)}.`;
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

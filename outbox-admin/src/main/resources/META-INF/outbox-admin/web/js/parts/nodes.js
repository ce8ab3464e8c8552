/** The nodes on the store: which are there, what they say of themselves, and what they have in hand. */
import { h } from '../../lib/preact.mjs';
import { switchDelivery } from '../actions.js';
import { get, segment } from '../api.js';
import { distance, duration, number, rate } from '../format.js';
import { withParams } from '../router.js';
import { Badge } from './badge.js';
import { Load } from './load.js';
import { Empty, Skeleton } from './states.js';
import { Table } from './table.js';
import { Ago } from './time.js';

const CLOCK_OFF_MS = 2000;

/** Properties: `tick`; `session`; `pauses`; `canOperate`; `onNodes`, which is told what was found. */
export function Nodes({ tick, session, pauses, canOperate, onNodes }) {
  const switches = { label: 'Delivery', cell: (row) => h(NodeSwitch, { row, pauses, canOperate }), kind: 'nowrap' };
  return h(
    'section',
    { class: 'card flush', 'aria-labelledby': 'nodes-title' },
    h('h2', { id: 'nodes-title' }, 'Nodes'),
    !session.cluster && h('p', { class: 'card-note muted small' }, session.clusterProblem ?? 'This store knows no other nodes: the list shows only the node that answers.'),
    h(Load, {
      id: 'nodes',
      tick,
      load: async (signal) => {
        const nodes = await get('nodes', {}, signal);
        onNodes(nodes.items);
        return nodes;
      },
      skeleton: h(Skeleton, { lines: 2 }),
      show: ({ items }) =>
        items.length === 0
          ? h(Empty, { icon: 'lock', title: 'No nodes' }, 'No node has reported.')
          : h(Table, {
              caption: 'Nodes',
              id: (row) => row.id ?? row.node,
              rows: items,
              columns: [
                { label: 'Node', cell: (row) => h(Name, { row }), kind: 'main-cell' },
                { label: 'State', cell: (row) => h(State, { row }) },
                switches,
                { label: 'Done/s', cell: (row) => (row.detail && row.detail.donePerSecond !== null ? rate(row.detail.donePerSecond) : '–'), kind: 'number' },
                { label: 'Queued', cell: (row) => (row.detail ? number(row.detail.hotQueue + row.detail.coldQueue) : '–'), kind: 'number' },
                { label: 'Locked', cell: (row) => h(Holds, { holds: row.holds }), kind: 'number' },
              ],
            }),
    }),
  );
}

function upFor(detail) {
  return duration(Date.now() - Date.parse(detail.startedAt));
}

function Name({ row }) {
  const { detail } = row;
  return h(
    'div',
    { class: 'lines' },
    h('a', { class: 'mono clip', title: row.node, href: withParams({ node: row.node }) }, row.node),
    detail && h('span', { class: 'small muted clip' }, [detail.host !== row.node && detail.host, detail.version !== 'unknown' && detail.version, row.answers && 'answers'].filter(Boolean).join(' · ')),
    detail?.sameName && h('span', { class: 'small warn-text' }, 'Another node has the same name: locks and pauses mix up both'),
    Math.abs(detail?.clockOffMs ?? 0) > CLOCK_OFF_MS && h('span', { class: 'small warn-text' }, `Its clock is ${duration(Math.abs(detail.clockOffMs))} ${detail.clockOffMs > 0 ? 'ahead' : 'behind'}`),
  );
}

function State({ row }) {
  const title = row.state === 'UNKNOWN' ? 'Has locked events, but no administration that reports its state' : undefined;
  return h(
    'div',
    { class: 'lines' },
    h(Badge, { state: row.state, title }),
    row.state === 'SILENT' && h('span', { class: 'small muted' }, `for ${duration(row.detail.silentMs)}`),
    row.state === 'UP' && h('span', { class: 'small muted' }, `for ${upFor(row.detail)}`),
  );
}

/** What delivery does there, and a button to pause or resume it on that node alone. */
function NodeSwitch({ row, pauses, canOperate }) {
  const delivery = row.detail?.delivery;
  if (!delivery) {
    return '–';
  }
  const isPaused = pauses.some((pause) => !pause.eventType && pause.node === row.node);
  const action = isPaused ? 'resume' : 'pause';
  const canSwitch = canOperate && row.state === 'UP' && (isPaused || delivery === 'RUNNING');
  return h(
    'div',
    { class: 'buttons' },
    h(Badge, { state: delivery }),
    canSwitch &&
      h(
        'button',
        {
          class: 'button small',
          'aria-label': `${isPaused ? 'Resume' : 'Pause'} node ${row.node}`,
          onClick: () => switchDelivery(`nodes/${segment(row.node)}/delivery`, action, `Delivery of node ${row.node}`),
        },
        isPaused ? 'Resume' : 'Pause',
      ),
  );
}

function Holds({ holds }) {
  if (!holds) {
    return '0';
  }
  const expires = holds.expiresAt ? `, expires ${distance(holds.expiresAt)}` : '';
  return h('span', { title: `Oldest lock ${distance(holds.oldestLock)}${expires}` }, number(holds.events), h('br'), h('span', { class: 'small muted' }, 'since ', h(Ago, { at: holds.oldestLock })));
}

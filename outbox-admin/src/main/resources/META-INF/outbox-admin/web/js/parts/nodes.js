/** Which nodes have events in hand. */
import { h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { number } from '../format.js';
import { Load } from './load.js';
import { Empty, Skeleton } from './states.js';
import { Table } from './table.js';
import { Ago } from './time.js';

export function Nodes({ tick }) {
  return h(
    'section',
    { class: 'card flush', 'aria-labelledby': 'nodes-title' },
    h('h2', { id: 'nodes-title' }, 'Nodes with events in hand'),
    h(Load, {
      id: 'nodes',
      tick,
      load: (signal) => get('nodes', {}, signal),
      skeleton: h(Skeleton, { lines: 2 }),
      show: ({ items }) =>
        items.length === 0
          ? h(Empty, { icon: 'lock', title: 'No leases' }, 'At this moment no node has an event locked in the store.')
          : h(Table, {
              caption: 'Nodes and their leases',
              id: (row) => row.node,
              rows: items,
              columns: [
                { label: 'Node', cell: (row) => h('span', { class: 'mono clip', title: row.node }, row.node) },
                { label: 'Events', cell: (row) => number(row.events), kind: 'number' },
                { label: 'Oldest lease', cell: (row) => h(Ago, { at: row.oldestLock }), kind: 'number' },
                { label: 'Expires', cell: (row) => (row.expiresAt ? h(Ago, { at: row.expiresAt }) : '–'), kind: 'number' },
                { label: 'Newest', cell: (row) => h(Ago, { at: row.newestLock }), kind: 'number' },
              ],
            }),
    }),
  );
}

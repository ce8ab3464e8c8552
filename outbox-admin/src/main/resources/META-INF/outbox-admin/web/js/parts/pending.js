/** What waits to be delivered, by type. */
import { h } from '../../lib/preact.mjs';
import { number } from '../format.js';
import { href } from '../router.js';
import { Empty } from './states.js';
import { Table } from './table.js';
import { Ago } from './time.js';

export function Pending({ overview }) {
  const rows = [...overview.pending].sort((a, b) => b.count - a.count);
  return h(
    'section',
    { class: 'card flush', 'aria-labelledby': 'pending-title' },
    h('h2', { id: 'pending-title' }, 'Due events by type'),
    rows.length === 0
      ? h(Empty, { title: 'Nothing is due' }, 'All events that are due have been delivered.')
      : h(Table, {
          caption: 'Events that are due, by type',
          id: (row) => row.eventType,
          rows,
          columns: [
            { label: 'Type', cell: (row) => h('a', { href: href('events', { eventType: row.eventType }), class: 'clip' }, row.eventType) },
            { label: 'Due', cell: (row) => `${number(row.count)}${overview.pendingExact ? '' : '+'}`, kind: 'number' },
            { label: 'Oldest since', cell: (row) => h(Ago, { at: row.oldestDueAt }), kind: 'number' },
          ],
        }),
  );
}

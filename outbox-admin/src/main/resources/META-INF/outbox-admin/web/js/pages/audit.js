/** Who did what when. */
import { h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { eventHref } from '../router.js';
import { plural } from '../format.js';
import { Load } from '../parts/load.js';
import { PageHead } from '../parts/page-head.js';
import { Pager } from '../parts/pager.js';
import { Empty } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

const PAGE = 50;
const OF_EVENTS = /^(replay|resolve|delete|release|edit)(-refused|-failed)?$/;

export function AuditPage({ query, changes }) {
  const after = query.get('after');
  return h(
    'div',
    null,
    h(PageHead, { title: 'Audit log', lead: 'What operators have done, the latest first.' }),
    h(Load, {
      id: `audit ${after}`,
      tick: changes,
      load: (signal) => get('audit', { after, limit: PAGE }, signal),
      show: (page) => h(Entries, { page, query }),
    }),
  );
}

function Entries({ page, query }) {
  if (page.items.length === 0) {
    return h(Empty, { icon: 'audit', title: 'Nobody has done anything yet' }, 'Every action leaves an entry here.');
  }
  return h(
    'div',
    { class: 'card flush' },
    h(Table, {
      caption: 'Actions of operators',
      id: (entry) => entry.id,
      rows: page.items,
      columns: [
        { label: 'When', cell: (entry) => h(Time, { at: entry.at }), kind: 'nowrap' },
        { label: 'Who', cell: (entry) => h('span', { class: 'clip' }, entry.who) },
        { label: 'What', cell: (entry) => h(ActionName, { name: entry.action }), kind: 'nowrap' },
        { label: 'To what', cell: target },
        { label: 'Detail', cell: (entry) => h('span', { class: 'mono wrap' }, entry.detail ?? '') },
      ],
    }),
    h(Pager, { query, next: page.next }, plural(page.items.length, 'entry', 'entries')),
  );
}

function ActionName({ name }) {
  const isBad = /-(refused|failed)$/.test(name);
  return h('span', { class: isBad ? 'badge bad' : 'badge calm' }, name);
}

function target(entry) {
  return OF_EVENTS.test(entry.action)
    ? h('a', { href: eventHref(entry.target), class: 'mono wrap', 'data-entry': true }, entry.target)
    : h('span', { class: 'wrap' }, entry.target);
}

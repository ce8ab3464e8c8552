/** Who did what when. */
import { h } from '../../lib/preact.mjs';
import { plural } from '../format.js';
import { eventHref, withParams } from '../router.js';
import { search } from '../search.js';
import { Filters } from '../parts/filters.js';
import { Load } from '../parts/load.js';
import { PageHead } from '../parts/page-head.js';
import { Pager } from '../parts/pager.js';
import { Empty } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

const PAGE = 50;
const OF_EVENTS = /^(replay|resolve|delete|release|edit|resume-key|skip-key)(-refused|-failed)?$/;

const ACTIONS = ['replay', 'resolve', 'delete', 'edit', 'release', 'pause', 'resume', 'cancel', 'retry'];

const FIELDS = [
  { name: 'who', label: 'Who' },
  { name: 'action', label: 'Action', kind: 'choice', options: [['', 'All'], ...ACTIONS.map((name) => [name, name])] },
  { name: 'event', label: 'Event id' },
  { name: 'from', label: 'From', kind: 'time' },
  { name: 'to', label: 'Before', kind: 'time' },
];

const PARAMS = ['after', ...FIELDS.map((field) => field.name)];

export function AuditPage({ query, changes }) {
  const params = Object.fromEntries(PARAMS.map((name) => [name, query.get(name)]));
  return h(
    'div',
    null,
    h(PageHead, { title: 'Audit log', lead: 'What operators have done, the latest first.' }),
    h(Filters, { query, fields: FIELDS }),
    h(Load, {
      id: JSON.stringify(params),
      tick: changes,
      load: (signal) => search('audit', params, PAGE, signal),
      show: (page) => h(Entries, { page, query }),
    }),
  );
}

function Entries({ page, query }) {
  if (page.items.length === 0 && FIELDS.some((field) => query.has(field.name))) {
    return h(Empty, { icon: 'audit', title: 'No such entries' }, h('a', { href: withParams(Object.fromEntries(PARAMS.map((name) => [name, null]))) }, 'Show all'));
  }
  if (page.items.length === 0) {
    return h(Empty, { icon: 'audit', title: 'No actions yet' }, 'Every action leaves an entry here.');
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
        { label: 'Who', cell: (entry) => h('a', { class: 'clip', href: withParams({ who: entry.who, after: null }) }, entry.who) },
        { label: 'What', cell: (entry) => h(ActionName, { name: entry.action }), kind: 'nowrap' },
        { label: 'To what', cell: target },
        { label: 'Detail', cell: (entry) => entry.detail && h(Detail, { text: entry.detail }), kind: 'error-cell' },
      ],
    }),
    h(Pager, { query, next: page.next }, plural(page.items.length, 'entry', 'entries')),
  );
}

const NAMES = new Map([
  ['eventType', 'type'],
  ['aggregateType', 'aggregate type'],
  ['aggregateId', 'aggregate'],
  ['tenantId', 'tenant'],
  ['error', 'error contains'],
  ['from', 'created from'],
  ['to', 'created before'],
]);

/** A filter is said in words; a long list of ids is folded away. */
function Detail({ text }) {
  const [, job, json] = /^(\S+) (\{.*\})$/s.exec(text) ?? [];
  const filter = asObject(json ?? text);
  if (filter) {
    const parts = Object.entries(filter).map(([name, value]) => `${NAMES.get(name) ?? name} ${value}`);
    const words = parts.length === 0 ? 'All dead events' : `Where ${parts.join(', ')}`;
    return h('div', { class: 'lines' }, h('span', { class: 'wrap' }, words), job && h('span', { class: 'mono small muted wrap' }, job));
  }
  const words = text.split(' ');
  return words.length > 8 && words.every((word) => word.length > 20)
    ? h('details', null, h('summary', { class: 'small' }, plural(words.length, 'event id')), h('span', { class: 'mono wrap' }, text))
    : h('span', { class: 'wrap' }, text);
}

function asObject(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
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

/** The figures of this moment. */
import { h } from '../../lib/preact.mjs';
import { duration, number, rate } from '../format.js';
import { href } from '../router.js';
import { meanLatency } from '../series.js';

const RECENT_SLOTS = 6;

export function Tiles({ overview, slots, slotMs }) {
  const recent = slots.slice(0, -1).slice(-RECENT_SLOTS);
  const sum = (name) => recent.reduce((total, slot) => total + slot[name], 0);
  const seconds = Math.max(1, (recent.length * slotMs) / 1000);
  const latency = meanLatency(recent);
  const { counts, queues } = overview;
  return h(
    'dl',
    { class: 'tiles' },
    h(Tile, { label: 'Delivered per second', value: rate(sum('done') / seconds), note: 'in the last minute' }),
    h(Tile, { label: 'Failed attempts', value: number(sum('failed')), note: 'in the last minute', tone: sum('failed') > 0 && 'warn' }),
    h(Tile, { label: 'Queue wait', value: latency === null ? '–' : duration(latency), note: 'mean, queue to listener' }),
    h(Tile, { label: 'Lag', value: duration(overview.lagMs), note: 'of the oldest that is due' }),
    h(Tile, { label: 'Queued', value: number(queues.hot + queues.cold), note: `${number(queues.hot)} hot, ${number(queues.cold)} cold` }),
    h(Tile, { label: 'New', value: open(counts.NEW, overview), note: 'waiting', link: href('events', { status: 'NEW' }) }),
    h(Tile, { label: 'Retry', value: open(counts.RETRY, overview), note: 'to be tried again', link: href('events', { status: 'RETRY' }) }),
    h(Tile, { label: 'Done', value: count(counts.DONE, overview), note: 'and still kept', link: href('events', { status: 'DONE' }) }),
  );
}

/** Those that wait are counted together. */
function open(value, overview) {
  const { NEW, RETRY } = overview.counts;
  return `${number(value)}${NEW + RETRY >= overview.countsStopAt ? '+' : ''}`;
}

/** Counting stops at a limit. */
function count(value, overview) {
  return `${number(value)}${value >= overview.countsStopAt ? '+' : ''}`;
}

function Tile({ label, value, note, link, tone }) {
  return h(
    'div',
    { class: tone ? `tile ${tone}` : 'tile' },
    h('dt', null, link ? h('a', { href: link }, label) : label),
    h('dd', { class: 'tile-value' }, value),
    h('dd', { class: 'muted' }, note),
  );
}

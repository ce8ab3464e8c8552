/** The figures of this moment, of all nodes. */
import { h } from '../../lib/preact.mjs';
import { atLeast, duration, number, rate } from '../format.js';
import { href } from '../router.js';
import { latest } from '../series.js';

const UNKNOWN = '–';

/** Properties: `overview`; `points`, of which the newest tells of failures and waits; `isPart`, whether they are of one type or node. */
export function Tiles({ overview, points, isPart }) {
  const { counts, queues, donePerSecond, countsStopAt } = overview;
  const now = latest(points);
  const isOpenExact = counts.NEW + counts.RETRY < countsStopAt;
  return h(
    'dl',
    { class: 'tiles' },
    h(Tile, { label: 'Delivered per second', value: donePerSecond === null ? UNKNOWN : rate(donePerSecond), note: 'by all nodes, last heard' }),
    h(Tile, { label: 'Failed attempts', value: now ? rate(now.failed) : UNKNOWN, note: isPart ? 'per minute, as charted' : 'per minute, lately', tone: now?.failed > 0 && 'warn', link: href('types') }),
    h(Tile, { label: 'Queue wait', value: now && now.p95Ms !== null ? duration(now.p95Ms) : UNKNOWN, note: isPart ? '95 % waited less, as charted' : '95 % waited less', link: href('types') }),
    h(Tile, { label: 'Lag', value: duration(overview.lagMs), note: 'of the oldest that is due', link: href('types') }),
    h(Tile, { label: 'Queued', value: number(queues.hot + queues.cold), note: `${number(queues.hot)} hot, ${number(queues.cold)} cold`, link: href('types') }),
    h(Tile, { label: 'New', value: atLeast(counts.NEW, isOpenExact), note: 'waiting', link: href('events', { status: 'NEW' }) }),
    h(Tile, { label: 'Retry', value: atLeast(counts.RETRY, isOpenExact), note: 'to be tried again', link: href('events', { status: 'RETRY' }) }),
    h(Tile, { label: 'Done', value: atLeast(counts.DONE, counts.DONE < countsStopAt), note: 'and still kept', link: href('events', { status: 'DONE' }) }),
  );
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

/** The groups of failures that grow fastest, or were seen last: where trouble is now. */
import { h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { shortError } from '../failure.js';
import { atLeast } from '../format.js';
import { href } from '../router.js';
import { BulkButtons } from './bulk.js';
import { Load } from './load.js';
import { Ago } from './time.js';

const SHOWN = 3;
const LOOKED_AT = 100;
const MOST_LATELY = 1000;

/** Returns the groups, that which was seen last first. */
export function byLastSeen(groups) {
  return [...groups].sort((a, b) => (Date.parse(b.lastSeen) || 0) - (Date.parse(a.lastSeen) || 0));
}

/** Returns the groups, that with the most failures of the last minutes first. */
export function byGrowth(groups) {
  return byLastSeen(groups).sort((a, b) => (b.lately ?? 0) - (a.lately ?? 0));
}

/** Properties: `group`. */
export function Growth({ group }) {
  return group.lately > 0 && h('span', { class: 'growth', title: 'Failed in the last five minutes' }, `+${atLeast(group.lately, group.lately < MOST_LATELY)} in 5 min`);
}

/** Returns what the events of a group have in common. */
export function groupFilter({ eventType, fingerprint }) {
  return { eventType, fingerprint };
}

/** Returns the address of the events of a group. */
export function groupHref(group) {
  return href('dead', { view: 'letters', status: 'MOVED', ...groupFilter(group) });
}

/** Properties: `tick`; `hasAny`, whether there are dead events at all; `session`; `canOperate`. */
export function LatestFailures({ tick, hasAny, session, canOperate }) {
  return (
    hasAny &&
    h(Load, {
      id: 'latest failures',
      tick,
      load: (signal) => get('groups', { limit: LOOKED_AT }, signal),
      skeleton: null,
      show: ({ items }) => items.length > 0 && h(Groups, { groups: byGrowth(items), session, canOperate }),
    })
  );
}

function Groups({ groups, session, canOperate }) {
  return h(
    'section',
    { class: 'card flush', 'aria-labelledby': 'failures-title' },
    h(
      'div',
      { class: 'card-head padded' },
      h('h2', { id: 'failures-title' }, 'Latest failures'),
      groups.length > SHOWN && h('a', { class: 'small', href: href('dead') }, `All ${groups.length === LOOKED_AT ? `${LOOKED_AT} or more` : groups.length} groups`),
    ),
    h(
      'ul',
      { class: 'failure-list' },
      groups.slice(0, SHOWN).map((group) =>
        h(
          'li',
          { key: `${group.eventType} ${group.fingerprint}` },
          h('span', { class: 'group-count' }, atLeast(group.count, group.exact)),
          h('div', { class: 'lines grow' }, h('a', { class: 'strong clip', href: groupHref(group) }, group.eventType ?? 'unknown type'), h('span', { class: 'mono small clamp' }, shortError(group.error ?? 'no error'))),
          h('span', { class: 'small muted nowrap failure-when' }, h(Growth, { group }), group.lastSeen && h(Ago, { at: group.lastSeen })),
          canOperate && group.eventType && h(BulkButtons, { filter: groupFilter(group), what: `group of ${group.eventType}`, canResolve: session.canResolve, small: true }),
        ),
      ),
    ),
  );
}

/** The groups of failures that were seen last: where trouble is now. */
import { h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { shortError } from '../failure.js';
import { atLeast } from '../format.js';
import { href } from '../router.js';
import { Load } from './load.js';
import { Ago } from './time.js';

const SHOWN = 3;
const LOOKED_AT = 100;

/** Returns the groups, that which was seen last first. */
export function byLastSeen(groups) {
  return [...groups].sort((a, b) => (Date.parse(b.lastSeen) || 0) - (Date.parse(a.lastSeen) || 0));
}

/** Returns the address of the events of a group. */
export function groupHref(group) {
  return href('dead', { view: 'letters', status: 'MOVED', eventType: group.eventType, fingerprint: group.fingerprint });
}

/** Properties: `tick`; `hasAny`, whether there are dead events at all. */
export function LatestFailures({ tick, hasAny }) {
  return (
    hasAny &&
    h(Load, {
      id: 'latest failures',
      tick,
      load: (signal) => get('groups', { limit: LOOKED_AT }, signal),
      skeleton: null,
      show: ({ items }) => items.length > 0 && h(Groups, { groups: byLastSeen(items) }),
    })
  );
}

function Groups({ groups }) {
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
          group.lastSeen && h('span', { class: 'small muted nowrap' }, h(Ago, { at: group.lastSeen })),
        ),
      ),
    ),
  );
}

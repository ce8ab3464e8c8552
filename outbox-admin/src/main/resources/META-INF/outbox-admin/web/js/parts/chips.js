/** States to choose from, with how many events are in each. */
import { h } from '../../lib/preact.mjs';
import { withParams } from '../router.js';
import { stateName } from './badge.js';

/** Properties: `query`; `states`; `counts(state)`, in words, or null while that is not known. */
export function Chips({ query, states, counts }) {
  const chosen = query.get('status') ?? '';
  const chip = (state, label, count) =>
    h('a', { href: withParams({ status: state, after: null }), 'aria-current': state === chosen ? 'true' : undefined, key: state }, label, count !== null && h('span', { class: 'muted' }, ` ${count}`));
  return h('div', { class: 'segments chips', role: 'group', 'aria-label': 'State' }, chip('', 'All', null), states.map((state) => chip(state, stateName(state), counts(state))));
}

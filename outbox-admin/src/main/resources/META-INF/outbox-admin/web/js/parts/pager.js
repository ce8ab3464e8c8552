/** On to the next page of a list, whose place is in the address, and back to the first. */
import { h } from '../../lib/preact.mjs';
import { withParams } from '../router.js';
import { Icon } from './icon.js';

export function Pager({ query, next, children }) {
  return h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages of this list' },
    h('span', { class: 'muted' }, children),
    h('span', { class: 'grow' }),
    query.has('after') && h('a', { class: 'button', href: withParams({ after: null }) }, 'First page'),
    next && h('a', { class: 'button', href: withParams({ after: next }) }, 'Next page', h(Icon, { name: 'next' })),
  );
}

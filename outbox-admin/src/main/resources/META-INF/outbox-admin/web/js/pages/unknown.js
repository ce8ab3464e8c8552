/** For addresses that lead nowhere. */
import { h } from '../../lib/preact.mjs';
import { href } from '../router.js';
import { Empty } from '../parts/states.js';

export function UnknownPage() {
  return h(Empty, { icon: 'help', title: 'Page not found', isPage: true }, h('a', { href: href('') }, 'To the overview'));
}

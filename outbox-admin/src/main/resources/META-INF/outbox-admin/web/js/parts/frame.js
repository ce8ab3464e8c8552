/** Navigation, who is signed in, and how the page knows what is new. */
import { h } from '../../lib/preact.mjs';
import { deadTitle } from '../dead.js';
import { brief, plural } from '../format.js';
import { MODES } from '../live.js';
import { href } from '../router.js';
import { Freshness } from './freshness.js';
import { Icon } from './icon.js';

const LINKS = [
  ['overview', '', 'Overview'],
  ['events', 'events', 'Events'],
  ['dead', 'dead', null],
  ['blocked', 'blocked', 'Blocked keys'],
  ['types', 'types', 'Types and lanes'],
  ['audit', 'audit', 'Audit log'],
];

const THEMES = { system: ['screen', 'as the system'], light: ['sun', 'light'], dark: ['moon', 'dark'] };

export function Frame({ page, session, mode, updatedAt, nodes, dead, theme, onTheme, onHelp, onSignOut, children }) {
  const [themeIcon, themeName] = THEMES[theme];
  return h(
    'div',
    { class: 'frame' },
    h('a', { class: 'skip', href: '#main', onClick: skipToMain }, 'Skip to the content'),
    h(
      'header',
      { class: 'side' },
      h('a', { class: 'brand', href: href('') }, h(Logo), h('span', null, 'Outbox')),
      h(
        'nav',
        { class: 'links', 'aria-label': 'Pages' },
        LINKS.filter(([name]) => name !== 'blocked' || session?.orderedByKey).map(([name, path, label]) =>
          h(
            'a',
            { href: href(path), 'aria-current': page === name ? 'page' : undefined, key: name },
            h(Icon, { name }),
            h('span', { class: 'link-label' }, label ?? deadTitle(session)),
            name === 'dead' && dead.count > 0 && h('span', { class: 'count', title: `${plural(dead.count, 'dead event')}${dead.exact ? '' : ' or more'}` }, brief(dead.count, dead.exact)),
          ),
        ),
      ),
      h('span', { class: 'grow' }),
      session && h(Freshness, { mode, updatedAt }),
      h(
        'div',
        { class: 'side-end' },
        session && h('span', { class: `live ${mode}`, role: 'status', title: 'How this page learns what is new' }, MODES[mode]),
        h('span', { class: 'grow' }),
        h('button', { class: 'icon-button', onClick: onTheme, 'aria-label': `Colours: ${themeName}. Change`, title: `Colours: ${themeName}` }, h(Icon, { name: themeIcon })),
        h('button', { class: 'icon-button', onClick: onHelp, 'aria-label': 'Shortcuts of the keyboard', title: 'Shortcuts (?)' }, h(Icon, { name: 'help' })),
      ),
      session &&
        h(
          'div',
          { class: 'who' },
          h('span', { class: 'who-name', title: session.name }, session.name),
          h('span', { class: 'muted' }, session.role === 'OPERATE' ? 'may operate' : 'read-only'),
          h('span', { class: 'muted clip', title: `Answered by node ${session.node}` }, `node ${session.node}${nodes?.up > 1 ? ` of ${nodes.up}` : ''}`),
          onSignOut && h('button', { class: 'button small', onClick: onSignOut }, 'Sign out'),
        ),
    ),
    h('main', { id: 'main', class: 'main', tabIndex: -1 }, children),
  );
}

/** The same as favicon.svg, which the browser has asked for already. */
function Logo() {
  return h(
    'svg',
    { class: 'logo', viewBox: '0 0 32 32', 'aria-hidden': 'true', focusable: 'false' },
    h('rect', { width: 32, height: 32, rx: 8 }),
    h('path', { d: 'M8 17v5a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-5h-4.5a3.5 3.5 0 0 1-7 0z', class: 'logo-box' }),
    h('path', { d: 'M16 14V7m0 0-3.5 3.5M16 7l3.5 3.5', class: 'logo-arrow' }),
  );
}

/** The address is that of the page, and stays. */
function skipToMain(event) {
  event.preventDefault();
  document.getElementById('main').focus();
}

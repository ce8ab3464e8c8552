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
      h('a', { class: 'brand', href: href('') }, h('img', { src: 'favicon.svg', alt: '', width: 28, height: 28 }), h('span', null, 'Outbox')),
      h(
        'nav',
        { class: 'links', 'aria-label': 'Pages' },
        LINKS.map(([name, path, label]) =>
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
          h('span', { class: 'muted' }, session.role === 'OPERATE' ? 'may operate' : 'may only look'),
          h('span', { class: 'muted clip', title: `Answered by node ${session.node}` }, `node ${session.node}${nodes?.up > 1 ? ` of ${nodes.up}` : ''}`),
          onSignOut && h('button', { class: 'button small', onClick: onSignOut }, 'Forget token'),
        ),
    ),
    h('main', { id: 'main', class: 'main', tabIndex: -1 }, children),
  );
}

/** The address is that of the page, and stays. */
function skipToMain(event) {
  event.preventDefault();
  document.getElementById('main').focus();
}

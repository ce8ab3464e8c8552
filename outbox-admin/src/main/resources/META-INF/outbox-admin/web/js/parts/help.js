/** The shortcuts of the keyboard. */
import { h } from '../../lib/preact.mjs';
import { SHORTCUTS } from '../keys.js';
import { Dialog } from './dialog.js';

export function Help({ onClose }) {
  return h(
    Dialog,
    { title: 'Shortcuts of the keyboard', onClose },
    h(
      'dl',
      { class: 'shortcuts' },
      SHORTCUTS.map(([keys, what]) => [
        h('dt', { key: keys }, keys.split(' ').map((key) => (key === '/' && keys !== '/' ? ' or ' : h('kbd', null, key)))),
        h('dd', { key: what }, what),
      ]),
    ),
    h('div', { class: 'dialog-actions' }, h('button', { class: 'button primary', onClick: onClose }, 'Close')),
  );
}

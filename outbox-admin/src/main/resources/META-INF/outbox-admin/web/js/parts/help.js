/** The shortcuts of the keyboard. */
import { h } from '../../lib/preact.mjs';
import { SHORTCUTS, areKeysOn, switchKeys } from '../keys.js';
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
    h(
      'label',
      { class: 'check' },
      h('input', { type: 'checkbox', defaultChecked: areKeysOn(), onChange: (event) => switchKeys(event.target.checked) }),
      'Single keys are shortcuts',
    ),
    h('div', { class: 'dialog-actions' }, h('button', { class: 'button primary', onClick: onClose }, 'Close')),
  );
}

/** The messages that are shown now. */
import { h } from '../../lib/preact.mjs';
import { dismiss } from '../toasts.js';
import { Icon } from './icon.js';

const ICONS = { done: 'check', problem: 'alert', held: 'clock' };

export function ToastList({ toasts }) {
  return h(
    'div',
    { class: 'toasts', role: 'status', 'aria-live': 'polite' },
    toasts.map((toast) => h(Toast, { toast, key: toast.id })),
  );
}

function Toast({ toast }) {
  const press = (button) => {
    dismiss(toast.id);
    button.run();
  };
  return h(
    'div',
    { class: `toast ${toast.kind}` },
    h(Icon, { name: ICONS[toast.kind] }),
    h('span', { class: 'grow' }, toast.text, toast.left && h('span', { class: 'muted', 'aria-hidden': 'true' }, ` in ${toast.left} s`)),
    toast.buttons.map((button) => h('button', { class: 'button small', onClick: () => press(button), key: button.label }, button.label)),
    h('button', { class: 'icon-button', 'aria-label': 'Dismiss', onClick: () => dismiss(toast.id), hidden: toast.kind === 'held' }, h(Icon, { name: 'cross' })),
  );
}

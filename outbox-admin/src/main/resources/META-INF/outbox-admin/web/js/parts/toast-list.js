/** The messages that are shown now. */
import { h } from '../../lib/preact.mjs';
import { dismiss, lookAt } from '../toasts.js';
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
  const look = () => lookAt(toast.id, true);
  const leave = (event) => {
    if (!event.currentTarget.contains(event.relatedTarget)) {
      lookAt(toast.id, false);
    }
  };
  const isHeld = toast.kind === 'held';
  return h(
    'div',
    { class: `toast ${toast.kind}`, onPointerEnter: look, onPointerLeave: leave, onFocusIn: look, onFocusOut: leave },
    h(Icon, { name: ICONS[toast.kind] }),
    h(
      'span',
      { class: 'grow' },
      toast.text,
      isHeld && h('span', { class: 'muted', 'aria-hidden': 'true' }, toast.isLookedAt ? ' – waiting' : ` in ${toast.left} s`),
    ),
    toast.buttons.map((button) =>
      h(
        'button',
        {
          class: 'button small',
          onClick: () => press(button),
          title: button.label === 'Undo' ? 'Ctrl+Z' : undefined,
          'aria-keyshortcuts': button.label === 'Undo' ? 'Control+Z' : undefined,
          key: button.label,
        },
        button.label,
      ),
    ),
    !isHeld && h('button', { class: 'icon-button', 'aria-label': 'Dismiss', onClick: () => dismiss(toast.id) }, h(Icon, { name: 'cross' })),
  );
}

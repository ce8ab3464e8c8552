/** A button that copies a text, also over plain HTTP, where browsers offer the older way only. */
import { h } from '../../lib/preact.mjs';
import { say, sayProblem } from '../toasts.js';
import { Icon } from './icon.js';

async function put(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const focused = document.activeElement;
  const box = document.createElement('textarea');
  box.value = text;
  box.className = 'unseen';
  document.body.append(box);
  box.select();
  const isCopied = document.execCommand('copy');
  box.remove();
  focused?.focus();
  if (!isCopied) {
    throw new Error('the browser does not allow it');
  }
}

export function Copy({ text, what }) {
  const copy = async () => {
    try {
      await put(text);
      say(`Copied the ${what}`);
    } catch (error) {
      sayProblem(`The ${what} was not copied`, error);
    }
  };
  return h('button', { class: 'icon-button', onClick: copy, 'aria-label': `Copy the ${what}`, title: `Copy the ${what}` }, h(Icon, { name: 'copy' }));
}

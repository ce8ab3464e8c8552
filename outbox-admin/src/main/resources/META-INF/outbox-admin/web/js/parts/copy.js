/** A button that copies a text. Browsers offer that only to pages that came over a safe connection. */
import { h } from '../../lib/preact.mjs';
import { say, sayProblem } from '../toasts.js';
import { Icon } from './icon.js';

export function Copy({ text, what }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say(`Copied the ${what}`);
    } catch (error) {
      sayProblem(`The ${what} was not copied`, error);
    }
  };
  return navigator.clipboard
    ? h('button', { class: 'icon-button', onClick: copy, 'aria-label': `Copy the ${what}`, title: `Copy the ${what}` }, h(Icon, { name: 'copy' }))
    : null;
}

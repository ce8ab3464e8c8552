/** How many entries of a list there are in all, as far as that is counted. */
import { h } from '../../lib/preact.mjs';
import { get } from '../api.js';
import { number } from '../format.js';
import { Load } from './load.js';

function words(shown, { matches, exact }) {
  if (exact) {
    return `${number(shown)} of ${number(matches)}`;
  }
  return matches > shown ? `${number(shown)} of more than ${number(matches)}` : `${number(shown)}, and perhaps more`;
}

/** Properties: `path` of what is counted; `params`, the filter; `shown`, how many there are on the page; `tick`. */
export function Total({ path, params, shown, tick }) {
  const { after, order, ...filter } = params;
  return h(Load, {
    id: JSON.stringify([path, filter]),
    tick,
    load: (signal) => get(`count/${path}`, filter, signal),
    skeleton: h('span', null, `${number(shown)} on this page`),
    show: (count) => h('span', { role: 'status' }, words(shown, count)),
  });
}

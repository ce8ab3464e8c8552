/** A time in the viewer's zone; its exact value in UTC is what hovering shows. */
import { h } from '../../lib/preact.mjs';
import { distance, moment } from '../format.js';

export function Time({ at, none = '–' }) {
  return at ? h('time', { dateTime: at, title: `${at} (UTC)` }, moment(at)) : h('span', { class: 'muted' }, none);
}

/** How long ago that was, for what is recent. */
export function Ago({ at }) {
  return h('time', { dateTime: at, title: `${at} (UTC)` }, distance(at));
}

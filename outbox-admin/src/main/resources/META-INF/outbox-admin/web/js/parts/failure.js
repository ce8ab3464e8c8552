/** Why something failed: the root cause first, then what was made of it; the stack trace is folded away. */
import { h } from '../../lib/preact.mjs';
import { failure } from '../failure.js';

export function Failure({ text }) {
  const { root, exception, between, trace } = failure(text);
  return h(
    'div',
    { class: 'failure' },
    h('p', { class: 'mono small wrap' }, root),
    exception && h('p', { class: 'mono small muted wrap' }, `in ${exception}`),
    between.map((cause) => h('p', { class: 'mono small muted wrap', key: cause }, `by ${cause}`)),
    trace && h('details', null, h('summary', { class: 'small' }, 'Stack trace'), h('pre', { class: 'code' }, trace)),
  );
}

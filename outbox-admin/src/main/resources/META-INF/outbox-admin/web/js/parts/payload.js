/** A payload, indented and coloured if it is JSON. */
import { h } from '../../lib/preact.mjs';
import { prettyTokens } from '../json.js';
import { Copy } from './copy.js';

export function Payload({ payload, encoding, isMasked }) {
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'payload-title' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'payload-title' }, 'Payload'),
      encoding && h('span', { class: 'badge calm' }, encoding),
      isMasked && h('span', { class: 'badge calm', title: 'The application hides parts of it' }, 'Masked'),
      payload && h(Copy, { text: payload, what: 'payload' }),
    ),
    payload === null || payload === ''
      ? h('p', { class: 'muted' }, 'It is empty, or not shown.')
      : h('pre', { class: 'code', tabIndex: 0, 'aria-label': 'Payload' }, parts(payload)),
  );
}

function parts(payload) {
  return prettyTokens(payload)?.map(({ text, kind }, i) => (kind === 'mark' ? text : h('span', { class: `json-${kind}`, key: i }, text))) ?? payload;
}

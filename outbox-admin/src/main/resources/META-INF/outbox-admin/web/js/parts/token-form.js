/** Asks for a token. It is kept as long as the tab is open, and sent with each request. */
import { createRef, h } from '../../lib/preact.mjs';
import { Icon } from './icon.js';

export function TokenForm({ wasRefused, onToken }) {
  const input = createRef();
  const submit = (event) => {
    event.preventDefault();
    onToken(input.current.value.trim());
  };
  return h(
    'form',
    { class: 'card token-form', onSubmit: submit },
    h(Icon, { name: 'lock' }),
    h('h1', null, 'A token is needed'),
    h('p', { class: 'muted' }, 'Sign in with a token of this outbox.'),
    wasRefused && h('p', { class: 'problem', role: 'alert' }, 'The server does not know the token that was entered.'),
    h('div', { class: 'field' }, h('label', { for: 'token' }, 'Token'), h('input', { id: 'token', ref: input, type: 'password', required: true, autocomplete: 'current-password', autofocus: true })),
    h('button', { class: 'button primary', type: 'submit' }, 'Sign in'),
  );
}

/** What can be done to one event, in the state that it is in. */
import { Component, createRef, h } from '../../lib/preact.mjs';
import { deleteEvent, editAndReplay, release, replay, resolve } from '../actions.js';
import { isJson, pretty } from '../json.js';
import { eventHref, go } from '../router.js';
import { Confirm, Dialog } from './dialog.js';
import { Icon } from './icon.js';

/** Properties: `event`, `session`. */
export class EventActions extends Component {
  state = { dialog: null };

  close = () => this.setState({ dialog: null });

  render({ event, session }, { dialog }) {
    const isLetter = event.location === 'dead-letters';
    const isUndecided = isLetter ? event.status === 'MOVED' : event.status === 'DEAD';
    return h(
      'div',
      { class: 'buttons' },
      isUndecided && h(ActionButton, { icon: 'retry', label: 'Replay', kind: 'primary', onClick: () => replay(event.id) }),
      isUndecided && !event.payloadEncoding && h(ActionButton, { icon: 'edit', label: 'Edit and replay', onClick: () => this.setState({ dialog: 'edit' }) }),
      session.canResolve && isUndecided && h(ActionButton, { icon: 'check', label: 'Resolve', onClick: () => resolve(event.id) }),
      (isUndecided || isLetter) && h(ActionButton, { icon: 'trash', label: 'Delete', onClick: () => this.setState({ dialog: 'delete' }) }),
      event.lockedBy && h(ActionButton, { icon: 'unlock', label: 'Release', onClick: () => this.setState({ dialog: 'release' }) }),
      dialog === 'edit' && h(EditDialog, { event, session, onClose: this.close }),
      dialog === 'delete' &&
        h(Confirm, { title: 'Delete this event?', action: 'Delete', isDanger: true, onConfirm: () => deleteEvent(event.id), onClose: this.close }, 'It is gone for good, with what is known of its attempts.'),
      dialog === 'release' &&
        h(
          Confirm,
          { title: 'Release this event?', action: 'Release', isDanger: true, onConfirm: () => release(event.id), onClose: this.close },
          `${event.lockedBy} has it in hand. If that node is still delivering it, it may be delivered twice.`,
        ),
    );
  }
}

function ActionButton({ icon, label, kind = '', onClick }) {
  return h('button', { class: `button ${kind}`, onClick }, h(Icon, { name: icon }), label);
}

/** Takes another payload. The dead event stays as it was, and an event of its own is written. */
class EditDialog extends Component {
  text = createRef();
  state = { isBroken: false, isSending: false };

  onInput = () => this.setState({ isBroken: !isJson(this.text.current.value) });

  indent = () => {
    this.text.current.value = pretty(this.text.current.value);
  };

  send = async (submit) => {
    submit.preventDefault();
    const { event, onClose } = this.props;
    this.setState({ isSending: true });
    const id = await editAndReplay(event.id, this.text.current.value);
    if (id === null) {
      this.setState({ isSending: false });
    } else {
      onClose();
      go(eventHref(id));
    }
  };

  render({ event, session, onClose }, { isBroken, isSending }) {
    return h(
      Dialog,
      { title: 'Edit and replay', onClose, wide: true },
      h(
        'form',
        { onSubmit: this.send },
        h('p', { class: 'muted' }, `An event of its own is written with this payload. The original is kept for its retention, as ${session.canResolve ? 'resolved' : 'done'}.`),
        session.masked && h('p', { class: 'problem' }, 'Parts of this payload may be hidden. What you see here is what will be written.'),
        h('label', { for: 'edited', class: 'unseen' }, 'Payload'),
        h('textarea', { id: 'edited', ref: this.text, class: 'code', rows: 14, spellcheck: false, defaultValue: event.payload ?? '', onInput: this.onInput }),
        h('p', { class: isBroken ? 'problem' : 'muted', role: 'status' }, isBroken ? 'This is no JSON.' : 'This is JSON.'),
        h(
          'div',
          { class: 'dialog-actions' },
          h('button', { class: 'button', type: 'button', onClick: this.indent }, 'Indent'),
          h('span', { class: 'grow' }),
          h('button', { class: 'button', type: 'button', onClick: onClose }, 'Cancel'),
          h('button', { class: 'button primary', type: 'submit', disabled: isSending }, 'Write and replay'),
        ),
      ),
    );
  }
}

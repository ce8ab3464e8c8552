/** What can be done to one event, in the state that it is in. */
import { Component, createRef, h } from '../../lib/preact.mjs';
import { cancelDelivery, deleteEvent, editAndReplay, release, replay, resolve, retryNow } from '../actions.js';
import { changedLines } from '../diff.js';
import { isWaiting } from '../event-actions.js';
import { isJson, pretty } from '../json.js';
import { eventHref, go } from '../router.js';
import { Confirm, Dialog } from './dialog.js';
import { Failure } from './failure.js';
import { Icon } from './icon.js';

/** Properties: `event`, `session`. */
export class EventActions extends Component {
  state = { dialog: null };

  close = () => this.setState({ dialog: null });

  render({ event, session }, { dialog }) {
    const isLetter = event.location === 'dead-letters';
    const isUndecided = isLetter ? event.status === 'MOVED' : event.status === 'DEAD';
    const isFree = !isLetter && isWaiting(event) && !event.lockedBy;
    return h(
      'div',
      { class: 'buttons' },
      isFree && h(ActionButton, { icon: 'retry', label: 'Retry now', kind: 'primary', onClick: () => retryNow(event.id) }),
      isFree && h(ActionButton, { icon: 'cross', label: 'Cancel delivery', onClick: () => cancelDelivery(event.id) }),
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
          `${event.lockedBy} holds it. If that node is still delivering it, it may be delivered twice.`,
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
  original = pretty(this.props.event.payload ?? '');
  state = { text: this.original, isBroken: !isJson(this.original), isAsked: false, isSending: false };

  onInput = () => {
    const text = this.text.current.value;
    this.setState({ text, isBroken: !isJson(text), isAsked: false });
  };

  indent = () => {
    this.text.current.value = pretty(this.text.current.value);
    this.onInput();
  };

  send = async (submit) => {
    submit.preventDefault();
    const { event, onClose } = this.props;
    const isJsonBroken = isJson(this.original) && this.state.isBroken;
    if (isJsonBroken && !this.state.isAsked) {
      this.setState({ isAsked: true });
      return;
    }
    this.setState({ isSending: true });
    const id = await editAndReplay(event.id, this.text.current.value);
    if (id === null) {
      this.setState({ isSending: false });
    } else {
      onClose();
      go(eventHref(id));
    }
  };

  render({ event, session, onClose }, { text, isBroken, isAsked, isSending }) {
    return h(
      Dialog,
      { title: 'Edit and replay', onClose, wide: true },
      h(
        'form',
        { onSubmit: this.send },
        h('p', { class: 'muted' }, `A new event is written with this payload. The original is kept for its retention, as ${session.canResolve ? 'resolved' : 'done'}.`),
        session.masked && h('p', { class: 'problem' }, 'Parts of this payload may be hidden. What you see here is what will be written.'),
        event.error && h('div', { class: 'edit-error' }, h(Failure, { text: event.error })),
        h('label', { for: 'edited', class: 'unseen' }, 'Payload'),
        h('textarea', { id: 'edited', ref: this.text, class: 'code', rows: 12, spellcheck: false, defaultValue: this.original, onInput: this.onInput }),
        h('p', { class: isBroken && isJson(this.original) ? 'problem' : 'muted', role: 'status' }, isBroken ? 'This is not JSON.' : 'This is JSON.', isAsked && ' The original was. Send it anyway?'),
        h(Difference, { before: this.original, after: text }),
        h(
          'div',
          { class: 'dialog-actions' },
          h('button', { class: 'button', type: 'button', onClick: this.indent }, 'Indent'),
          h('span', { class: 'grow' }),
          h('button', { class: 'button', type: 'button', onClick: onClose }, 'Cancel'),
          h('button', { class: 'button primary', type: 'submit', disabled: isSending }, isAsked ? 'Write it anyway' : 'Write and replay'),
        ),
      ),
    );
  }
}

/** What was changed, line by line. */
function Difference({ before, after }) {
  const lines = changedLines(before, after);
  if (lines === null) {
    return h('p', { class: 'muted small' }, 'The changes are too many to be shown.');
  }
  if (lines.length === 0) {
    return h('p', { class: 'muted small' }, 'Nothing is changed yet.');
  }
  return h(
    'pre',
    { class: 'code diff', tabIndex: 0, 'aria-label': 'Changes' },
    lines.map(({ sign, text }, i) => h('span', { class: sign === '+' ? 'diff-new' : 'diff-old', key: i }, `${sign} ${text}\n`)),
  );
}

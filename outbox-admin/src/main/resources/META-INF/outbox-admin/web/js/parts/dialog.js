/** A dialog. The browser keeps the focus inside of it, and it goes back to where it was afterwards. */
import { Component, createRef, h } from '../../lib/preact.mjs';

/** Properties: `title`, `onClose`, `wide`, and what is inside. */
export class Dialog extends Component {
  element = createRef();

  componentDidMount() {
    this.element.current.showModal();
  }

  componentWillUnmount() {
    this.element.current.close();
  }

  onClick = (event) => {
    if (event.target === this.element.current) {
      this.props.onClose();
    }
  };

  onCancel = (event) => {
    event.preventDefault();
    this.props.onClose();
  };

  render({ title, wide, children }) {
    return h(
      'dialog',
      {
        ref: this.element,
        class: wide ? 'dialog wide' : 'dialog',
        'aria-labelledby': 'dialog-title',
        onCancel: this.onCancel,
        onMouseDown: this.onClick,
      },
      h('div', { class: 'dialog-body' }, h('h2', { id: 'dialog-title' }, title), children),
    );
  }
}

/** Asks before something is done. */
export function Confirm({ title, children, action, isDanger, onConfirm, onClose }) {
  const confirm = () => {
    onClose();
    onConfirm();
  };
  return h(
    Dialog,
    { title, onClose },
    h('p', null, children),
    h(
      'div',
      { class: 'dialog-actions' },
      h('button', { class: 'button', onClick: onClose }, 'Cancel'),
      h('button', { class: isDanger ? 'button danger' : 'button primary', onClick: confirm }, action),
    ),
  );
}

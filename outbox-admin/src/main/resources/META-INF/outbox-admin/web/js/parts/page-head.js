/** The title of a page, with what can be done there. */
import { Component, createRef, h } from '../../lib/preact.mjs';
import { offerFocus } from '../focus.js';

/** The one heading of the first level: the title of the tab, and where the focus is after a change of page. */
export class Title extends Component {
  element = createRef();

  componentDidMount() {
    this.show();
    offerFocus(this.element.current);
  }

  componentDidUpdate() {
    this.show();
  }

  show() {
    document.title = `${this.props.text} · Outbox`;
  }

  render({ text }) {
    return h('h1', { ref: this.element, tabIndex: -1 }, text);
  }
}

export function PageHead({ title, lead, children }) {
  return h(
    'div',
    { class: 'page-head' },
    h('div', { class: 'page-title' }, h(Title, { text: title }), lead && h('p', { class: 'muted' }, lead)),
    h('div', { class: 'buttons' }, children),
  );
}

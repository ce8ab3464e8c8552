/** The title of a page, with what can be done there. */
import { Component, h } from '../../lib/preact.mjs';

export class PageHead extends Component {
  componentDidMount() {
    document.title = `${this.props.title} · Outbox`;
  }

  componentDidUpdate() {
    document.title = `${this.props.title} · Outbox`;
  }

  render({ title, lead, children }) {
    return h(
      'div',
      { class: 'page-head' },
      h('div', { class: 'page-title' }, h('h1', null, title), lead && h('p', { class: 'muted' }, lead)),
      h('div', { class: 'buttons' }, children),
    );
  }
}

/** A payload, indented and coloured if it is JSON; objects and lists can be folded away. */
import { Component, h } from '../../lib/preact.mjs';
import { prettyTokens, tree } from '../json.js';
import { number } from '../format.js';
import { Copy } from './copy.js';

/** A list or an object with more lines than this is folded away at first, unless it is the outermost. */
const LONG = 60;

/** With fewer lines, there is nothing to fold. */
const SHORT = 3;

/** Properties: `payload`; `encoding`; `isMasked`. Drawn once: a large one is thousands of elements. */
export class Payload extends Component {
  shouldComponentUpdate(next) {
    return next.payload !== this.props.payload;
  }

  render({ payload, encoding, isMasked }) {
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
}

function parts(payload) {
  const tokens = prettyTokens(payload);
  return tokens ? tree(tokens).map(part) : payload;
}

function part(each, i) {
  if (each.parts) {
    return h(Fold, { node: each, key: i });
  }
  return each.kind === 'mark' ? each.text : h('span', { class: `json-${each.kind}`, key: i }, each.text);
}

/** What is between two brackets. A button is for what has some lines. */
class Fold extends Component {
  state = { isOpen: this.props.node.depth === 0 || this.props.node.lines <= LONG };

  turn = () => this.setState(({ isOpen }) => ({ isOpen: !isOpen }));

  render({ node }, { isOpen }) {
    const lines = `${number(node.lines)} lines`;
    const folded = `${node.open.trim()} … ${node.close.trim()} ${lines}`;
    return [
      node.depth > 0 && node.lines > SHORT && h('button', { class: 'fold', onClick: this.turn, 'aria-expanded': String(isOpen), 'aria-label': lines, title: isOpen ? 'Fold' : 'Unfold', key: 'button' }),
      isOpen ? [node.open, node.parts.map(part), node.close] : h('span', { class: 'muted', key: 'folded' }, folded),
    ];
  }
}

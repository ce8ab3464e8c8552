/** How old what the page shows is: nothing while it is new, a word when it is late, an alarm when nobody answers. */
import { Component, h } from '../../lib/preact.mjs';
import { duration } from '../format.js';

const LATE_MS = 15_000;
const STALE_MS = 40_000;
const LOOK_MS = 1000;

/** Properties: `mode`, how we know; `updatedAt`, when we heard last, or 0. */
export class Freshness extends Component {
  state = { now: Date.now() };

  componentDidMount() {
    this.timer = setInterval(() => this.setState({ now: Date.now() }), LOOK_MS);
  }

  componentDidUpdate() {
    document.body.classList.toggle('stale', this.age() > STALE_MS);
  }

  componentWillUnmount() {
    clearInterval(this.timer);
    document.body.classList.remove('stale');
  }

  age() {
    return this.props.updatedAt === 0 || document.hidden ? 0 : this.state.now - this.props.updatedAt;
  }

  render({ mode }) {
    const age = this.age();
    if (age <= LATE_MS) {
      return null;
    }
    const who = mode === 'offline' ? 'The server' : 'The store';
    return age > STALE_MS
      ? h('p', { class: 'freshness bad', role: 'alert' }, `${who} has not answered for ${duration(age)}: what you see is old`)
      : h('p', { class: 'freshness' }, `As of ${duration(age)} ago`);
  }
}

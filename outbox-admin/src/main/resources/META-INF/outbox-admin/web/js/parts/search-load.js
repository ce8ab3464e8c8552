/** Loads by a search that may take many calls: meanwhile it shows how many were found, and a button that ends it. */
import { Component, h } from '../../lib/preact.mjs';
import { plural } from '../format.js';
import { Load } from './load.js';

/** Properties: as those of `Load`; `load(signal, goesOn)` passes the second one to the search. */
export class SearchLoad extends Component {
  state = { found: null };

  load = (signal) => {
    this.isStopped = false;
    this.setState({ found: null });
    return this.props.load(signal, (found) => {
      this.setState({ found });
      return !this.isStopped;
    });
  };

  stop = () => {
    this.isStopped = true;
  };

  render(props, { found }) {
    const searching = h(
      'div',
      { class: 'hint' },
      h('span', { class: 'grow', role: 'status' }, `Searching. ${plural(found, 'event')} found so far`),
      h('button', { class: 'button', onClick: this.stop }, 'Stop'),
    );
    return h(Load, { ...props, load: this.load, skeleton: found === null ? props.skeleton : [searching, props.skeleton] });
  }
}

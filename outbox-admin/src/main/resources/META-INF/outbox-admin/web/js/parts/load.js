/** Loads something and shows it: until then a skeleton, and if that fails the reason with a button to try again. */
import { Component, h } from '../../lib/preact.mjs';
import { moment } from '../format.js';
import { Failure, Outdated, Skeleton } from './states.js';

/**
 * Properties: `id`, another one means other data; `tick`, another one means to look again for the same data, which stays
 * until then, and if that fails with a word that it is old, unless it is gone; `load(signal)`; `show(data)`; `skeleton`;
 * `isPage`, whether it is all that the page shows.
 */
export class Load extends Component {
  state = { id: undefined, data: undefined, error: undefined, loadedAt: undefined };

  componentDidMount() {
    this.load();
  }

  componentDidUpdate(before) {
    if (before.id !== this.props.id) {
      this.load();
    } else if (before.tick !== this.props.tick) {
      this.isStale = this.isLoading;
      if (!this.isLoading) {
        this.load();
      }
    }
  }

  componentWillUnmount() {
    this.request.abort();
  }

  load = async () => {
    this.request?.abort();
    const request = new AbortController();
    const { id, load } = this.props;
    this.request = request;
    this.isLoading = true;
    this.isStale = false;
    try {
      const data = await load(request.signal);
      this.settle(request, { id, data, error: undefined, loadedAt: Date.now() });
    } catch (error) {
      const isKept = this.state.id === id && error.status !== 404;
      this.settle(request, { id, error, data: isKept ? this.state.data : undefined });
    }
  };

  settle(request, state) {
    if (request === this.request && !request.signal.aborted) {
      this.isLoading = false;
      this.setState(state);
      if (this.isStale) {
        this.load();
      }
    }
  }

  retry = () => {
    this.setState({ id: undefined });
    this.load();
  };

  render({ id, show, isPage, skeleton = h(Skeleton) }, state) {
    if (state.id !== id) {
      return skeleton;
    }
    if (state.data === undefined) {
      return h(Failure, { error: state.error, isPage, retry: this.retry });
    }
    return [
      state.error && h(Outdated, { key: 'outdated', since: moment(state.loadedAt), error: state.error, retry: this.load }),
      h('div', { key: 'data', class: state.error ? 'outdated' : undefined }, show(state.data)),
    ];
  }
}

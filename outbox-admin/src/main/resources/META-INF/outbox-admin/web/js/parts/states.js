/** What a page shows while it has nothing else to show. */
import { Component, h } from '../../lib/preact.mjs';
import { Icon } from './icon.js';

/** Bars in place of lines that are still to come, of the height that these will have. */
export function Skeleton({ lines = 8, kind = 'row' }) {
  return h(
    'div',
    { class: 'skeleton', role: 'status', 'aria-label': 'Loading' },
    Array.from({ length: lines }, (_, i) => h('div', { class: `skeleton-${kind}`, key: i })),
  );
}

export function Empty({ icon = 'check', title, children }) {
  return h('div', { class: 'empty' }, h(Icon, { name: icon }), h('h2', null, title), h('p', null, children));
}

export function Failure({ error, retry }) {
  return h(
    'div',
    { class: 'empty failure', role: 'alert' },
    h(Icon, { name: 'alert' }),
    h('h2', null, error.title ?? 'That failed'),
    h('p', null, error.message),
    h('button', { class: 'button', onClick: retry }, h(Icon, { name: 'retry' }), 'Try again'),
  );
}

/** Says that what is below could not be loaded again. */
export function Outdated({ since, error, retry }) {
  return h(
    'p',
    { class: 'hint outdated-note', role: 'status' },
    h(Icon, { name: 'alert' }),
    h('span', { class: 'grow' }, `Not up to date: loaded at ${since}. ${error.message}`),
    h('button', { class: 'button small', onClick: retry }, 'Try again'),
  );
}

/** Shows what is below it, or why that cannot be shown: one value that no page can cope with must not take the dashboard with it. */
export class Boundary extends Component {
  state = { error: null };

  componentDidCatch(error) {
    this.setState({ error });
  }

  retry = () => this.setState({ error: null });

  render({ children }, { error }) {
    return error ? h(Failure, { error: { title: 'This page cannot be shown', message: String(error) }, retry: this.retry }) : children;
  }
}

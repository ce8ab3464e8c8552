/** What a page shows while it has nothing else to show. */
import { Component, h } from '../../lib/preact.mjs';
import { Icon } from './icon.js';
import { Title } from './page-head.js';

/** Bars in place of lines that are still to come, of the height that these will have. */
export function Skeleton({ lines = 8, kind = 'row' }) {
  return h(
    'div',
    { class: 'skeleton', role: 'status', 'aria-label': 'Loading' },
    Array.from({ length: lines }, (_, i) => h('div', { class: `skeleton-${kind}`, key: i })),
  );
}

/** Properties: `icon`; `title`; `isPage`, whether it is all that the page shows; what else there is to say. */
export function Empty({ icon = 'check', title, isPage, children }) {
  return h('div', { class: 'empty' }, h(Icon, { name: icon }), heading(title, isPage), h('p', null, children));
}

function heading(title, isPage) {
  return isPage ? h(Title, { text: title }) : h('h2', null, title);
}

/** Properties: `error`; `isPage`, whether it is all that the page shows; `retry`. */
export function Failure({ error, isPage, retry }) {
  return h(
    'div',
    { class: 'empty failure', role: 'alert' },
    h(Icon, { name: 'alert' }),
    heading(error.title ?? 'That failed', isPage),
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
    return error ? h(Failure, { error: { title: 'This page cannot be shown', message: String(error) }, isPage: true, retry: this.retry }) : children;
  }
}

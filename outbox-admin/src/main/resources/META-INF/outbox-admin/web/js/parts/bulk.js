/** Actions on all dead events that match a filter: counted first, confirmed, and followed while they run. */
import { Component, h } from '../../lib/preact.mjs';
import { changed, perform, startBulk } from '../actions.js';
import { get, post, remove } from '../api.js';
import { number, plural } from '../format.js';
import { Badge } from './badge.js';
import { Dialog } from './dialog.js';
import { Icon } from './icon.js';
import { Load } from './load.js';
import { Time } from './time.js';

const FOLLOWED_MS = 700;

/** To delete more than these, their number has to be typed: what can be undone for some seconds is for slips, not for misreadings. */
const MOST_UNTYPED = 100;

const ACTIONS = {
  replay: { word: 'Replay', icon: 'retry', says: 'They return to the outbox and are delivered again, with all their attempts.' },
  resolve: { word: 'Resolve', icon: 'check', says: 'They are settled, not delivered, and deleted after their retention. That cannot be taken back.' },
  delete: { word: 'Delete', icon: 'trash', says: 'They are gone for good. That cannot be taken back.', isDanger: true },
};

/**
 * Buttons for a filter. Where there are many of them, only the one that is meant most often is shown until others are asked for, so
 * that none is hit by mistake.
 *
 * Properties: `filter`; `what`, its name; `canResolve`; `small`, whether there are many of them.
 */
export class BulkButtons extends Component {
  state = { action: null, isOpen: false };

  close = () => this.setState({ action: null });

  turn = () => this.setState(({ isOpen }) => ({ isOpen: !isOpen }));

  render({ filter, what, canResolve, small }, { action, isOpen }) {
    const all = Object.keys(ACTIONS).filter((name) => name !== 'resolve' || canResolve);
    return h(
      'div',
      { class: 'buttons' },
      (small && !isOpen ? all.slice(0, 1) : all).map((name) =>
        h(
          'button',
          {
            class: `button ${small ? 'small' : ''} ${ACTIONS[name].isDanger ? 'apart' : ''}`,
            'aria-label': `${ACTIONS[name].word} ${what}`,
            onClick: () => this.setState({ action: name }),
            key: name,
          },
          h(Icon, { name: ACTIONS[name].icon }),
          small ? ACTIONS[name].word : `${ACTIONS[name].word} all`,
        ),
      ),
      small && h('button', { class: 'icon-button', 'aria-expanded': String(isOpen), 'aria-label': `Other actions on ${what}`, title: 'Other actions', onClick: this.turn }, h(Icon, { name: 'more' })),
      action && h(BulkDialog, { action, filter, what, onClose: this.close }),
    );
  }
}

/** Counting looks at so many events only: there may be matches behind those, even if there are none among them. */
function expected(matches, exact) {
  if (exact) {
    return plural(matches, 'event');
  }
  return matches === 0 ? 'an unknown number of events' : `at least ${plural(matches, 'event')}`;
}

/** Says how many match, and begins when that is confirmed. */
class BulkDialog extends Component {
  state = { typed: '' };

  confirm = () => {
    const { action, filter, what, onClose } = this.props;
    onClose();
    startBulk(action, filter, `${ACTIONS[action].word} ${what}`);
  };

  render({ action, what, filter, onClose }, { typed }) {
    const { word, says, isDanger } = ACTIONS[action];
    return h(
      Dialog,
      { title: `${word} ${what}?`, onClose },
      h(Load, {
        id: action,
        load: () => post('bulk', { action, filter, dryRun: true }),
        skeleton: h('p', { class: 'dry-run', role: 'status' }, 'Counting what matches …'),
        show: ({ matches, exact }) => {
          const count = expected(matches, exact);
          const isTyped = !isDanger || matches <= MOST_UNTYPED || typed.replaceAll(/\D/g, '') === String(matches);
          return h(
            'div',
            null,
            h('p', { class: 'dry-run', role: 'status' }, h('b', null, count), ` ${matches === 1 ? 'matches' : 'match'}.`),
            h('p', { class: 'muted' }, says),
            isDanger &&
              matches > MOST_UNTYPED &&
              h(
                'div',
                { class: 'field typed' },
                h('label', { for: 'typed' }, `Type ${number(matches)} to confirm`),
                h('input', { id: 'typed', type: 'text', inputMode: 'numeric', autocomplete: 'off', onInput: (event) => this.setState({ typed: event.target.value }) }),
              ),
            h(
              'div',
              { class: 'dialog-actions' },
              h('button', { class: 'button', onClick: onClose }, 'Cancel'),
              h('button', { class: isDanger ? 'button danger' : 'button primary', onClick: this.confirm, disabled: (matches === 0 && exact) || !isTyped }, `${word} ${count}`),
            ),
          );
        },
      }),
    );
  }
}

/** The actions of all nodes. Looks more often while one is under way, and lets pages look when one is over. */
export class BulkList extends Component {
  state = { tick: 0 };

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  load = async (signal) => {
    const { items } = await get('bulk', {}, signal);
    const finished = items.filter((job) => job.finishedAt !== null).length;
    clearTimeout(this.timer);
    if (finished < items.length) {
      this.timer = setTimeout(() => this.setState(({ tick }) => ({ tick: tick + 1 })), FOLLOWED_MS);
    }
    if (finished > (this.finished ?? finished)) {
      changed();
    }
    this.finished = finished;
    return items;
  };

  render({ tick, canOperate }, state) {
    return h(Load, {
      id: 'bulk',
      tick: `${tick} ${state.tick}`,
      load: this.load,
      skeleton: null,
      show: (jobs) =>
        jobs.length > 0 &&
        h(
          'section',
          { class: 'card', 'aria-labelledby': 'bulk-title' },
          h('h2', { id: 'bulk-title' }, 'Bulk actions'),
          h('ul', { class: 'jobs' }, jobs.slice(0, 5).map((job) => h(Job, { job, canOperate, key: job.id }))),
        ),
    });
  }
}

function Job({ job, canOperate }) {
  const handled = job.done + job.skipped;
  const cancel = () =>
    perform('The action ends after its current batch', 'The action was not cancelled', () => remove(`bulk/${job.id}`));
  const isOver = job.finishedAt !== null;
  return h(
    'li',
    { class: 'job' },
    h(Badge, { state: job.state }),
    h('span', { class: 'job-name' }, `${ACTIONS[job.action].word}, by ${job.by}, `, h(Time, { at: job.createdAt }), job.node && `, on node ${job.node}`),
    h('progress', {
      max: Math.max(1, job.expected),
      value: isOver && job.state === 'DONE' ? Math.max(1, job.expected) : handled,
      'aria-label': `Progress of ${job.action}`,
    }),
    h(
      'span',
      { class: 'job-count' },
      `${number(job.done)} of ${job.expectedExact ? '' : 'at least '}${number(job.expected)}`,
      job.skipped > 0 && `, ${number(job.skipped)} skipped`,
    ),
    job.cancelling && h('span', { class: 'muted' }, 'ends after its batch'),
    !isOver && !job.cancelling && canOperate && h('button', { class: 'button small', onClick: cancel }, 'Cancel'),
  );
}

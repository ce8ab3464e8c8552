/** Actions on all events that match a filter: counted first, confirmed, and followed while they run. */
import { Component, createRef, h } from '../../lib/preact.mjs';
import { changed, perform, startBulk } from '../actions.js';
import { get, post, remove } from '../api.js';
import { actionNames, actionOf } from '../event-actions.js';
import { number, plural } from '../format.js';
import { Badge } from './badge.js';
import { Dialog } from './dialog.js';
import { Icon } from './icon.js';
import { Load } from './load.js';
import { Time } from './time.js';

const FOLLOWED_MS = 700;

/** To delete more than these, their number has to be typed: what can be undone for some seconds is for slips, not for misreadings. */
const MOST_UNTYPED = 100;

/** What is delivered by it, and may be too much at a time for who receives it. */
const PACED = ['replay', 'retry'];

/**
 * Buttons for a filter. Where there are many of them, only the one that is meant most often is shown until others are asked for, so
 * that none is hit by mistake.
 *
 * Properties: `filter`; `what`, its name; `states` of what it is for, by default dead events; `canResolve`; `small`, whether there are
 * many of them.
 */
export class BulkButtons extends Component {
  state = { action: null, isOpen: false };

  close = () => this.setState({ action: null });

  turn = () => this.setState(({ isOpen }) => ({ isOpen: !isOpen }));

  render({ filter, what, states = ['MOVED'], canResolve, small }, { action, isOpen }) {
    const all = actionNames(states, canResolve);
    return h(
      'div',
      { class: 'buttons' },
      (small && !isOpen ? all.slice(0, 1) : all).map((name) =>
        h(
          'button',
          {
            class: `button ${small ? 'small' : ''} ${actionOf(name).isDanger ? 'apart' : ''}`,
            'aria-label': `${actionOf(name).word} ${what}`,
            onClick: () => this.setState({ action: name }),
            key: name,
          },
          h(Icon, { name: actionOf(name).icon }),
          small ? actionOf(name).word : `${actionOf(name).word} all`,
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

/** Says how many match, and begins when that is confirmed; slowly, if that is wanted. */
class BulkDialog extends Component {
  state = { typed: '' };
  rate = createRef();

  confirm = () => {
    const { action, filter, what, onClose } = this.props;
    const perSecond = this.rate.current?.valueAsNumber;
    if (this.rate.current?.reportValidity() ?? true) {
      onClose();
      startBulk(action, filter, `${actionOf(action).word} ${what}`, perSecond > 0 ? perSecond : null);
    }
  };

  render({ action, what, filter, onClose }, { typed }) {
    const { word, says, isDanger } = actionOf(action);
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
            PACED.includes(action) && h(Rate, { input: this.rate }),
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

function Rate({ input }) {
  return h(
    'p',
    { class: 'rate' },
    h('label', { for: 'rate' }, 'At most '),
    h('input', { id: 'rate', ref: input, type: 'number', min: 1, max: 10_000, step: 1, placeholder: 'all', inputMode: 'numeric' }),
    ' events per second. Leave it empty for no limit.',
  );
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
    if (items.some((job) => job.finishedAt === null && job.state !== 'PAUSED')) {
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

function switchJob(job) {
  const isPaused = job.state === 'PAUSED';
  perform(
    isPaused ? 'The action is resumed' : 'The action is paused after its current batch',
    isPaused ? 'The action was not resumed' : 'The action was not paused',
    () => post(`bulk/${job.id}/${isPaused ? 'resume' : 'pause'}`),
  );
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
    h('span', { class: 'job-name' }, `${actionOf(job.action).word}, by ${job.by}, `, h(Time, { at: job.createdAt }), job.perSecond && `, ${number(job.perSecond)} per second`, job.node && `, on node ${job.node}`),
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
    !isOver &&
      !job.cancelling &&
      canOperate && [
        h('button', { class: 'button small', key: 'pause', onClick: () => switchJob(job) }, job.state === 'PAUSED' ? 'Resume' : 'Pause'),
        h('button', { class: 'button small', key: 'cancel', onClick: cancel }, 'Cancel'),
      ],
  );
}

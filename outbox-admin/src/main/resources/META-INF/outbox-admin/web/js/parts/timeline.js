/** What has happened to an event, and what is next. */
import { h } from '../../lib/preact.mjs';
import { Failure } from './failure.js';
import { Icon } from './icon.js';
import { Time } from './time.js';

/** @returns {{at: string, icon: string, tone: string, title: string, more?: any}[]} in the order of their times */
function steps(event) {
  const all = [{ at: event.createdAt, icon: 'edit', tone: 'calm', title: 'Written' }];
  event.history.forEach((attempt) =>
    all.push({
      at: attempt.at,
      icon: 'cross',
      tone: 'bad',
      title: `Attempt ${attempt.attempt} failed`,
      more: [attempt.node && h('span', { class: 'small muted wrap' }, `on ${attempt.node}`), attempt.error && h(Failure, { text: attempt.error })],
    }),
  );
  if (event.history.length === 0 && event.error) {
    all.push({ at: null, icon: 'cross', tone: 'bad', title: 'Last error', more: h(Failure, { text: event.error }) });
  }
  if (event.movedAt) {
    all.push({ at: event.movedAt, icon: 'dead', tone: 'bad', title: 'Moved to the dead letters' });
  }
  if (event.updatedBy) {
    all.push({ at: event.updatedAt, icon: 'check', tone: 'calm', title: `Changed by ${event.updatedBy}` });
  }
  if (event.lockedAt) {
    all.push({ at: event.lockedAt, icon: 'lock', tone: 'info', title: `Taken by ${event.lockedBy}` });
  }
  if (event.doneAt) {
    all.push({ at: event.doneAt, icon: 'check', tone: 'good', title: 'Delivered' });
  } else if (event.status === 'NEW' || event.status === 'RETRY') {
    all.push({ at: event.availableAt, icon: 'clock', tone: 'info', title: event.status === 'NEW' ? 'Due' : 'Next attempt due' });
  }
  return all;
}

export function Timeline({ event }) {
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'timeline-title' },
    h('h2', { id: 'timeline-title' }, 'Timeline'),
    h(
      'ol',
      { class: 'timeline' },
      steps(event).map((step, i) =>
        h(
          'li',
          { key: i },
          h('span', { class: `step-icon ${step.tone}` }, h(Icon, { name: step.icon })),
          h('div', { class: 'step' }, h('span', { class: 'step-title' }, step.title), h('span', { class: 'small muted' }, h(Time, { at: step.at, none: '' })), step.more),
        ),
      ),
    ),
  );
}

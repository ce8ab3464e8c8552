/** What has happened to an event, what operators did to it, and what is next: the latest first. */
import { h } from '../../lib/preact.mjs';
import { failure } from '../failure.js';
import { eventHref } from '../router.js';
import { Failure } from './failure.js';
import { Icon } from './icon.js';
import { Time } from './time.js';

const ACTIONS = new Map([
  ['replay', ['undo', 'Replayed']],
  ['resolve', ['check', 'Resolved']],
  ['delete', ['trash', 'Deleted']],
  ['release', ['unlock', 'Released']],
  ['edit', ['edit', 'Edited and replayed']],
  ['retry', ['retry', 'Tried again']],
  ['cancel', ['cross', 'Cancelled']],
]);

function cause(attempt) {
  return failure(attempt.error ?? '').root;
}

/**
 * Attempts that failed alike, one after the other, are one step. They are numbered from the first one on, also after
 * the event was replayed, which lets the outbox count from 1 again.
 */
function attempts(history) {
  const runs = [];
  let place = 0;
  let before = null;
  history.forEach((attempt) => {
    const isNext = before !== null && attempt.attempt === before.attempt + 1;
    place += before !== null && attempt.attempt > before.attempt ? attempt.attempt - before.attempt : attempt.attempt;
    const step = { ...attempt, place };
    if (isNext && cause(before) === cause(attempt)) {
      runs.at(-1).push(step);
    } else {
      runs.push([step]);
    }
    before = attempt;
  });
  return runs.map((run) => {
    const [first, last] = [run[0], run.at(-1)];
    const nodes = [...new Set(run.map((attempt) => attempt.node).filter(Boolean))];
    return {
      at: last.at,
      icon: 'cross',
      tone: 'bad',
      title: run.length === 1 ? `Attempt ${first.place} failed` : `Attempts ${first.place} to ${last.place} failed in the same way`,
      more: [nodes.length > 0 && h('span', { class: 'small muted wrap' }, `on ${nodes.join(', ')}`), last.error && h(Failure, { text: last.error })],
    };
  });
}

function action(entry) {
  const [, name, outcome] = /^(.*?)(?:-(refused|failed))?$/.exec(entry.action);
  const [icon, word] = ACTIONS.get(name) ?? ['dot', name];
  const written = /^written again as (\S+)$/.exec(entry.detail ?? '')?.[1];
  return {
    at: entry.at,
    icon,
    tone: outcome ? 'bad' : 'info',
    title: `${word} by ${entry.who}${outcome ? `: ${outcome}` : ''}`,
    more: written && h('a', { class: 'mono small wrap', href: eventHref(written) }, written),
  };
}

/** @returns {{at: string, icon: string, tone: string, title: string, more?: any}[]} the latest first */
function steps(event, actions) {
  const all = [{ at: event.createdAt, icon: 'edit', tone: 'calm', title: 'Written' }, ...attempts(event.history), ...actions.map(action)];
  if (event.movedAt) {
    all.push({ at: event.movedAt, icon: 'dead', tone: 'bad', title: 'Moved to the dead letters' });
  }
  if (event.updatedBy && actions.length === 0) {
    all.push({ at: event.updatedAt, icon: 'check', tone: 'calm', title: `Changed by ${event.updatedBy}` });
  }
  if (event.lockedAt) {
    all.push({ at: event.lockedAt, icon: 'lock', tone: 'info', title: `Locked by ${event.lockedBy}` });
  }
  if (event.doneAt) {
    all.push({ at: event.doneAt, icon: 'check', tone: 'good', title: 'Delivered' });
  }
  all.reverse().sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  if (event.history.length === 0 && event.error) {
    all.unshift({ at: null, icon: 'cross', tone: 'bad', title: 'Last error', more: h(Failure, { text: event.error }) });
  }
  if (event.status === 'NEW' || event.status === 'RETRY') {
    all.unshift({ at: event.availableAt, icon: 'clock', tone: 'info', title: event.status === 'NEW' ? 'Due' : 'Next attempt due' });
  }
  return all;
}

/** Properties: `event`; `actions`, entries of the audit log. */
export function Timeline({ event, actions }) {
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'timeline-title' },
    h('h2', { id: 'timeline-title' }, 'Timeline'),
    h(
      'ol',
      { class: 'timeline' },
      steps(event, actions).map((step, i) =>
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

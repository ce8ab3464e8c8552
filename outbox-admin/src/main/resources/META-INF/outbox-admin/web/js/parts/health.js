/** Whether all is well, and if not, what is the matter. */
import { h } from '../../lib/preact.mjs';
import { undecided } from '../dead.js';
import { shortError } from '../failure.js';
import { duration, plural } from '../format.js';
import { href } from '../router.js';
import { Icon } from './icon.js';
import { Ago } from './time.js';

const LATE_MS = 60_000;

const HEADS = {
  good: ['check', 'All is well', 'Whatever is due is being delivered.'],
  warn: ['alert', 'Needs a look', 'Delivery goes on, but not of everything.'],
  bad: ['alert', 'Not delivering', 'This node delivers nothing.'],
};

/** @returns {{level: 'good'|'warn'|'bad', reasons: any[]}} */
function judge(overview) {
  const reasons = [];
  const stopped = {
    PAUSED: 'Delivery of this node is paused.',
    CLOSED: 'The outbox of this node is closed.',
    NOT_STARTED: 'The outbox of this node has not been started.',
  }[overview.state];
  if (stopped) {
    reasons.push(stopped);
  }
  overview.unavailable.forEach((target) =>
    reasons.push([h('b', null, target.eventType), ' cannot be delivered, first seen ', h(Ago, { at: target.since }), ': ', shortError(target.cause)]),
  );
  if (overview.pausedTypes.length > 0) {
    reasons.push(['Paused: ', h('b', null, overview.pausedTypes.join(', '))]);
  }
  if (overview.lagMs > LATE_MS) {
    reasons.push(`The oldest event that is due has waited for ${duration(overview.lagMs)}.`);
  }
  const dead = undecided(overview);
  if (dead > 0) {
    reasons.push([h('a', { href: href('dead') }, plural(dead, 'dead event')), ' to be decided on.']);
  }
  if (stopped) {
    return { level: 'bad', reasons };
  }
  return { level: reasons.length === 0 ? 'good' : 'warn', reasons };
}

export function Health({ overview }) {
  const { level, reasons } = judge(overview);
  const [icon, title, lead] = HEADS[level];
  return h(
    'section',
    { class: `health ${level}`, 'aria-label': 'Health' },
    h(Icon, { name: icon }),
    h(
      'div',
      null,
      h('h2', null, title),
      reasons.length === 0 ? h('p', null, lead) : h('ul', null, reasons.map((reason, i) => h('li', { key: i }, reason))),
    ),
  );
}

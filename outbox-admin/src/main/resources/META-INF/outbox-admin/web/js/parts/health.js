/** Whether all is well, and if not, what is the matter. */
import { h } from '../../lib/preact.mjs';
import { undecided } from '../dead.js';
import { shortError } from '../failure.js';
import { atLeast, duration, plural } from '../format.js';
import { href } from '../router.js';
import { Icon } from './icon.js';
import { Ago } from './time.js';

const LATE_MS = 60_000;

const HEADS = {
  good: ['check', 'All is well', 'All due events are being delivered.'],
  warn: ['alert', 'Needs a look', 'Some events are not being delivered.'],
  bad: ['alert', 'Not delivering', 'Nothing is delivered.'],
};

const STOPPED = new Map([
  ['CLOSED', 'The outbox of the node that answers is closed.'],
  ['NOT_STARTED', 'The outbox of the node that answers has not been started.'],
]);

/** @returns {{level: 'good'|'warn'|'bad', reasons: any[]}} */
function judge(overview) {
  const { nodes, pauses } = overview;
  const reasons = [];
  const isAllPaused = pauses.some((pause) => !pause.eventType && !pause.node) || (nodes.paused > 0 && nodes.paused >= nodes.up);
  if (STOPPED.has(overview.state)) {
    reasons.push(STOPPED.get(overview.state));
  }
  pauses.forEach((pause) =>
    reasons.push([
      'Paused: ',
      h('b', null, pause.eventType ?? 'all delivery'),
      pause.node ? ` on node ${pause.node}` : ' on all nodes',
      `, by ${pause.by} `,
      h(Ago, { at: pause.at }),
      '.',
    ]),
  );
  const ordered = new Set(pauses.map((pause) => pause.eventType));
  const others = overview.pausedTypes.filter((type) => !ordered.has(type));
  if (others.length > 0) {
    reasons.push(['Paused by the application itself: ', h('b', null, others.join(', '))]);
  }
  if (overview.state === 'PAUSED' && !ordered.has(null)) {
    reasons.push(`Delivery of node ${overview.node} is paused by the application itself.`);
  }
  if (nodes.silent > 0) {
    reasons.push(`${plural(nodes.silent, 'node')} not heard of for a minute or more: crashed or frozen.`);
  }
  overview.unavailable.forEach((target) =>
    reasons.push([h('b', null, target.eventType), ' cannot be delivered, first seen ', h(Ago, { at: target.since }), ': ', shortError(target.cause)]),
  );
  if (overview.lagMs > LATE_MS) {
    reasons.push(`The oldest event that is due has waited for ${duration(overview.lagMs)}.`);
  }
  overview.databaseAdvice.forEach((advice) => reasons.push(['Database: ', advice]));
  const dead = undecided(overview);
  if (dead.count > 0) {
    reasons.push([h('a', { href: href('dead') }, `${atLeast(dead.count, dead.exact)} dead ${dead.count === 1 ? 'event' : 'events'}`), ' need action.']);
  }
  if (isAllPaused || STOPPED.has(overview.state)) {
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

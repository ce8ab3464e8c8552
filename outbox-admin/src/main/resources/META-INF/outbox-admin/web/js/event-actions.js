/** What can be done to events, in words: to those that are dead, and to those that wait. */

/** @type {Map<string, {word: string, icon: string, says: string, isFor: 'dead'|'waiting', isDanger?: boolean}>} */
const ACTIONS = new Map([
  ['replay', { word: 'Replay', icon: 'retry', isFor: 'dead', says: 'They return to the outbox and are delivered again, with all their attempts.' }],
  ['resolve', { word: 'Resolve', icon: 'check', isFor: 'dead', says: 'They are settled, not delivered, and deleted after their retention. That cannot be taken back.' }],
  ['delete', { word: 'Delete', icon: 'trash', isFor: 'dead', says: 'They are gone for good. That cannot be taken back.', isDanger: true }],
  ['retry', { word: 'Retry now', icon: 'retry', isFor: 'waiting', says: 'They are due now instead of at their next attempt. Events that a node holds are skipped.' }],
  ['cancel', { word: 'Cancel delivery', icon: 'cross', isFor: 'waiting', says: 'They are not delivered: they become dead events, and can be replayed. Events that a node holds are skipped.', isDanger: true }],
]);

const WAITING = ['NEW', 'RETRY'];
const UNDECIDED = ['DEAD', 'MOVED'];

export function actionOf(name) {
  return ACTIONS.get(name) ?? { word: name, icon: 'dot', says: '', isFor: 'dead' };
}

export function isWaiting(event) {
  return WAITING.includes(event.status);
}

/** Returns what can be done to events in these states. */
export function actionNames(states, canResolve) {
  return [...ACTIONS]
    .filter(([name, action]) => (name !== 'resolve' || canResolve) && states.some((state) => (action.isFor === 'dead' ? UNDECIDED : WAITING).includes(state)))
    .map(([name]) => name);
}

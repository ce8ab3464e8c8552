/** The state of something, as a word with a picture: never by its colour alone. */
import { h } from '../../lib/preact.mjs';
import { Icon } from './icon.js';

const STATES = new Map([
  ['NEW', ['info', 'dot', 'New']],
  ['RETRY', ['warn', 'retry', 'Retry']],
  ['DONE', ['good', 'check', 'Done']],
  ['DEAD', ['bad', 'cross', 'Dead']],
  ['MOVED', ['bad', 'cross', 'Dead letter']],
  ['IN_PROCESS', ['info', 'clock', 'In process']],
  ['TO_RETRY', ['info', 'undo', 'To retry']],
  ['RESOLVED', ['calm', 'check', 'Resolved']],
  ['QUEUED', ['calm', 'clock', 'Queued']],
  ['RUNNING', ['good', 'play', 'Running']],
  ['PAUSED', ['warn', 'pause', 'Paused']],
  ['CANCELLED', ['calm', 'cross', 'Cancelled']],
  ['FAILED', ['bad', 'alert', 'Failed']],
  ['UNAVAILABLE', ['bad', 'alert', 'Unavailable']],
  ['WRITER_ONLY', ['calm', 'edit', 'Only writes']],
  ['NOT_STARTED', ['calm', 'clock', 'Not started']],
  ['UP', ['good', 'check', 'Up']],
  ['SILENT', ['bad', 'alert', 'Silent']],
  ['UNKNOWN', ['warn', 'help', 'Unknown']],
  ['CLOSED', ['bad', 'cross', 'Closed']],
]);

export function stateName(state) {
  return STATES.get(state)?.[2] ?? state;
}

export function Badge({ state, title = undefined, text = undefined }) {
  const [tone, icon, word] = STATES.get(state) ?? ['calm', 'dot', state];
  return h('span', { class: `badge ${tone}`, title }, h(Icon, { name: icon }), text ?? word);
}

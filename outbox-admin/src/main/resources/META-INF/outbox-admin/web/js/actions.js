/** What operators do, and how they are told what came of it. */
import { post, segment } from './api.js';
import { plural } from './format.js';
import { hold, say, sayProblem } from './toasts.js';

let whenChanged = () => {};

/** Sets what is done when something was changed: pages look again. */
export function onChanged(action) {
  whenChanged = action;
}

/** Lets pages look again. */
export function changed() {
  whenChanged();
}

/** Does something, and says whether it worked. Returns whether it did. */
export async function perform(done, failed, work) {
  try {
    await work();
    say(done);
    return true;
  } catch (error) {
    sayProblem(failed, error);
    return false;
  } finally {
    changed();
  }
}

function eventPath(id, action) {
  return `events/${segment(id)}/${action}`;
}

export function replay(id) {
  return perform('Replayed: the event is delivered again', 'The event was not replayed', () => post(eventPath(id, 'replay')));
}

export function release(id) {
  return perform('Released', 'The event was not released', () => post(eventPath(id, 'release')));
}

export function resolve(id) {
  hold('Resolve the event', () =>
    perform('The event is resolved', 'The event was not resolved', () => post(eventPath(id, 'resolve'))),
  );
}

export function deleteEvent(id) {
  hold('Delete the event', () =>
    perform('The event is deleted', 'The event was not deleted', () => post(eventPath(id, 'delete'))),
  );
}

/** Writes the event again with another payload, and returns the id of the new one; `null` if that failed. */
export async function editAndReplay(id, payload) {
  let written = null;
  await perform('An event with the new payload was written', 'The event was not written', async () => {
    written = await post(eventPath(id, 'edit'), { payload });
  });
  return written?.id ?? null;
}

/** Makes a waiting event due now. */
export function retryNow(id) {
  return perform('The event is delivered now', 'The event was not retried', () => post(eventPath(id, 'retry')));
}

/** Ends a waiting event without a delivery. */
export function cancelDelivery(id) {
  hold('Cancel the delivery', () =>
    perform('The event is not delivered; it can be replayed', 'The event was not cancelled', () => post(eventPath(id, 'cancel'))),
  );
}

/** Does something to events that were chosen one by one, after a moment in which it can be undone. */
export function actOn(action, ids, word) {
  hold(`${word}: ${plural(ids.length, 'event')}`, async () => {
    try {
      const { done, skipped } = await post('events/actions', { action, ids });
      say(`${word}: ${plural(done, 'event')}`);
      if (skipped.length > 0) {
        sayProblem(`${plural(skipped.length, 'event')} skipped`, new Error(skipped[0].why));
      }
    } catch (error) {
      sayProblem(`${word}: not done`, error);
    } finally {
      changed();
    }
  });
}

const RESUMED = { pause: 'resume', resume: 'pause' };

/**
 * Pauses or resumes, and offers the opposite.
 *
 * @param {string} path of what is paused: `delivery`, or `types/…`
 * @param {'pause'|'resume'} action
 * @param {string} what as in "Delivery of …"
 */
export async function switchDelivery(path, action, what) {
  try {
    await post(`${path}/${action}`);
    say(`${what} is ${action}d`, [{ label: 'Undo', run: () => switchDelivery(path, RESUMED[action], what) }]);
  } catch (error) {
    sayProblem(`${what} was not ${action}d`, error);
  } finally {
    changed();
  }
}

/**
 * Begins an action on all that match, after a moment in which it can be undone.
 *
 * @param {string} what as in "Replay all that match"
 * @param {number|null} perSecond to how many in a second at most
 */
export function startBulk(action, filter, what, perSecond = null) {
  hold(what, () => perform(`${what}: begun`, `${what}: not begun`, () => post('bulk', { action, filter, dryRun: false, perSecond })));
}

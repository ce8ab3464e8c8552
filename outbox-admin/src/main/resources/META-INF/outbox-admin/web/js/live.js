/** What the outbox does now, told to whoever listens. */
import { get } from './api.js';

const POLL_MS = 5000;

/** How we know: not yet, by asking again and again, or not any more. */
export const MODES = { connecting: 'Connecting', polling: 'Polling', offline: 'No connection' };

/**
 * Begins to listen.
 *
 * @param {(update: {overview: object, slots: object[]}) => void} onUpdate
 * @param {(mode: keyof MODES) => void} onMode
 * @returns {() => void} ends it
 */
export function listen(onUpdate, onMode) {
  const end = new AbortController();
  onMode('connecting');
  poll(onUpdate, onMode, end.signal);
  return () => end.abort();
}

async function poll(onUpdate, onMode, signal) {
  while (!signal.aborted) {
    try {
      const [overview, series] = await Promise.all([get('overview', {}, signal), get('series', { minutes: 1 }, signal)]);
      onUpdate({ overview, slots: series.items });
      onMode('polling');
    } catch {
      if (!signal.aborted) {
        onMode('offline');
      }
    }
    await pause(POLL_MS, signal);
  }
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

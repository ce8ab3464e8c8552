/**
 * What the outbox does now, told to whoever listens: by a stream of server-sent events, or where there is none by asking again
 * and again. The stream is read by `fetch`, since an EventSource cannot send a token. A page that nobody sees listens to
 * nothing: a browser has few connections for one server.
 */
import { get, openStream } from './api.js';

const POLL_MS = 5000;
const POLLS_BEFORE_STREAM = 6;
const AGAIN_MS = 500;
const SILENCE_MS = 40_000;

/** How we know: not yet, by a stream, by asking, or not any more, because of the store or because of the server. */
export const MODES = {
  connecting: 'Connecting',
  streaming: 'Live',
  late: 'Store is slow',
  polling: 'Polling',
  unavailable: 'The store does not answer',
  offline: 'No connection',
};

/**
 * Begins to listen.
 *
 * @param {(update: {overview: object}) => void} onUpdate
 * @param {(mode: keyof MODES) => void} onMode
 * @returns {() => void} ends it
 */
export function listen(onUpdate, onMode) {
  let listening = new AbortController();
  const begin = () => {
    listening.abort();
    listening = new AbortController();
    if (!document.hidden) {
      follow(onUpdate, onMode, listening.signal);
    }
  };
  document.addEventListener('visibilitychange', begin);
  onMode('connecting');
  begin();
  return () => {
    document.removeEventListener('visibilitychange', begin);
    listening.abort();
  };
}

async function follow(onUpdate, onMode, signal) {
  while (!signal.aborted) {
    if (await stream(onUpdate, onMode, signal)) {
      await pause(AGAIN_MS, signal);
    } else {
      await pollForAWhile(onUpdate, onMode, signal);
    }
  }
}

/** Listens to a stream until it ends, and returns whether it told anything. */
async function stream(onUpdate, onMode, signal) {
  const silence = new AbortController();
  let hasTold = false;
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  try {
    heard();
    const response = await openStream('live', AbortSignal.any([signal, silence.signal]));
    for await (const { name, data } of events(response.body, heard)) {
      hasTold = true;
      if (name === 'late') {
        onMode('late');
      } else {
        onMode('streaming');
        onUpdate(JSON.parse(data));
      }
    }
  } catch {
    // Whatever it was, asking finds out whether the server is there.
  } finally {
    clearTimeout(timer);
  }
  return hasTold;
}

/** Reads what each event of a stream carries; comments, which are heartbeats, carry nothing. */
async function* events(body, heard) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    heard();
    text += chunk.value;
    const whole = text.split('\n\n');
    text = whole.pop();
    for (const event of whole) {
      const field = (start) => event.split('\n').find((line) => line.startsWith(start))?.slice(start.length);
      if (field('data: ')) {
        yield { name: field('event: '), data: field('data: ') };
      }
    }
  }
}

async function pollForAWhile(onUpdate, onMode, signal) {
  for (let i = 0; i < POLLS_BEFORE_STREAM && !signal.aborted; i++) {
    try {
      onUpdate({ overview: await get('overview', {}, signal) });
      onMode('polling');
    } catch (error) {
      if (!signal.aborted) {
        onMode(error.status > 0 ? 'unavailable' : 'offline');
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

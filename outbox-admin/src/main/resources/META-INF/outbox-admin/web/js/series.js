/** What a node did lately, in slots of ten seconds, made ready for charts. */

const MOST_POINTS = 90;

/**
 * Returns the slots with newer ones in place of what they knew, without those that are older than the window.
 */
export function merge(slots, newer, minutes) {
  const byTime = new Map(slots.map((slot) => [slot.at, slot]));
  newer.forEach((slot) => byTime.set(slot.at, slot));
  const all = [...byTime.values()].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const oldest = all.length === 0 ? 0 : Date.parse(all.at(-1).at) - minutes * 60_000;
  return all.filter((slot) => Date.parse(slot.at) > oldest);
}

/**
 * Returns at most 90 points, each of as many slots as it takes. Their times are round, so that a slot stays in
 * the point that it is in while time goes on. The slot that has only begun is left out.
 */
export function points(slots, slotMs) {
  const whole = slots.slice(0, -1);
  const size = Math.max(1, Math.ceil(whole.length / MOST_POINTS)) * slotMs;
  const groups = new Map();
  for (const slot of whole) {
    const at = Math.floor(Date.parse(slot.at) / size) * size;
    groups.set(at, [...(groups.get(at) ?? []), slot]);
  }
  return [...groups].map(([at, group]) => point(at, group, (group.length * slotMs) / 1000));
}

function point(at, group, seconds) {
  const sum = (name) => group.reduce((total, slot) => total + slot[name], 0);
  const most = (name) => Math.max(...group.map((slot) => slot[name]));
  const timed = group.filter((slot) => slot.latencyMs !== null);
  return {
    at,
    done: sum('done') / seconds,
    failed: (sum('failed') * 60) / seconds,
    dead: (sum('dead') * 60) / seconds,
    latencyMs: meanLatency(group),
    maxLatencyMs: timed.length === 0 ? null : Math.max(...timed.map((slot) => slot.maxLatencyMs)),
    lagMs: most('lagMs'),
    hotQueue: most('hotQueue'),
    coldQueue: most('coldQueue'),
  };
}

/** Returns the mean of all attempts in the slots, each of which counts once; null if there are none. */
export function meanLatency(slots) {
  const timed = slots.filter((slot) => slot.latencyMs !== null);
  const started = timed.reduce((total, slot) => total + slot.started, 0);
  return started === 0 ? null : timed.reduce((total, slot) => total + slot.latencyMs * slot.started, 0) / started;
}

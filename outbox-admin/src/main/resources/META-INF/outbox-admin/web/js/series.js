/** What all nodes did lately, made ready for charts. */

/** Returns the slots as points with rates; where no node has reported, nothing is known, which is not zero. */
export function points(slots) {
  return slots.map((slot) => ({
    ...slot,
    at: Date.parse(slot.at),
    done: per(slot.done, slot.seconds),
    failed: per(slot.failed, slot.seconds / 60),
    dead: per(slot.dead, slot.seconds / 60),
  }));
}

function per(count, time) {
  return count === null ? null : count / time;
}

/** Returns the newest point that is known, or undefined. */
export function latest(all) {
  return all.findLast((point) => point.nodes > 0);
}

/** Returns since when something is known, if that is not so from the start; else undefined. */
export function knownSince(all) {
  const first = all.find((point) => point.nodes > 0);
  return first === all[0] ? undefined : first?.at;
}

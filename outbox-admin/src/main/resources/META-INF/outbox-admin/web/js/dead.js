/** Dead events: in a dead letter queue, or in the outbox. */

/** What they are called. */
export const deadTitle = (session) => (session?.deadLetters ? 'Dead letters' : 'Dead events');

/** How many wait for a decision, wherever they are; counting stops somewhere, and then there may be more. */
export function undecided({ counts, deadLetters, countsStopAt }) {
  const parts = [counts.DEAD, deadLetters?.MOVED ?? 0];
  return { count: parts[0] + parts[1], exact: parts.every((part) => part < countsStopAt) };
}

/** Dead events: in a dead letter queue, or in the outbox. */

/** What they are called. */
export const deadTitle = (session) => (session?.deadLetters ? 'Dead letters' : 'Dead events');

/** How many wait for a decision, wherever they are. */
export const undecided = (overview) => overview.counts.DEAD + (overview.deadLetters?.MOVED ?? 0);

/** The text that is stored with a failure, taken apart as io.outbox.model.FailureText does. */
const BEFORE_CAUSE = '\nCaused by: ';
const BEFORE_ATTEMPTS = '\n\tAttempts:\n\t';
const FRAMES = /\n\t(?:at |\.\.\. |Suppressed: )/;

/** @returns {{root: string, exception: string, between: string[], trace: string}} exception is empty if it is the root itself */
export function failure(text) {
  const attempts = text.lastIndexOf(BEFORE_ATTEMPTS);
  const told = attempts < 0 ? text : text.slice(0, attempts);
  const lastCause = Math.max(0, told.lastIndexOf(BEFORE_CAUSE));
  const frames = told.slice(lastCause).search(FRAMES);
  const end = frames < 0 ? told.length : lastCause + frames;
  const chain = told.slice(0, end).split(BEFORE_CAUSE);
  const root = chain.pop();
  return { root, exception: chain[0] ?? '', between: chain.slice(1), trace: told.slice(end + 1) };
}

/** The root cause without the package of its exception, which is long and says little. */
export function shortError(text) {
  return failure(text).root.replace(/^(?:[a-z_$][\w$]*\.)+(?=[A-Z])/, '');
}

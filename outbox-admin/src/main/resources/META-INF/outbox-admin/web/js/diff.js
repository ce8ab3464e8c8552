/** The lines in which two texts differ. */

const MOST_LINES = 1000;

/**
 * Returns the lines that are gone and those that are new, in their order; `null` if there are too many to compare.
 *
 * @returns {{sign: '-'|'+', text: string}[] | null}
 */
export function changedLines(before, after) {
  const [a, b] = trimmed(before.split('\n'), after.split('\n'));
  if (a.length * b.length > MOST_LINES * MOST_LINES) {
    return null;
  }
  const common = lengthsOfCommon(a, b);
  const lines = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || common[i + 1][j] >= common[i][j + 1])) {
      lines.push({ sign: '-', text: a[i] });
      i += 1;
    } else {
      lines.push({ sign: '+', text: b[j] });
      j += 1;
    }
  }
  return lines;
}

/** Leaves out what both begin and end with. */
function trimmed(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) {
    start += 1;
  }
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) {
    end += 1;
  }
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}

/** Returns how many lines the rests of both texts have in common, from each pair of places on. */
function lengthsOfCommon(a, b) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}

/**
 * Indents JSON without reading its values, so that a number of twenty digits is shown as it was written.
 */

const TOKEN = /"(?:[^"\\]|\\.)*"|[-+0-9.eE]+|true|false|null|[{}[\],:]/g;
const LARGEST = 200_000;

/** Each is an element of the page. */
const MOST_TOKENS = 20_000;

/** Deeper than this, lines are not indented further, and nothing is folded: indentation alone would grow with the square of the depth. */
const DEEPEST = 40;

/**
 * Returns the parts of an indented text, each with its kind, or `null` if it is no JSON or too large.
 *
 * @returns {{text: string, kind: 'key'|'text'|'number'|'word'|'mark'}[] | null}
 */
export function prettyTokens(json) {
  if (json.length > LARGEST || !isJson(json)) {
    return null;
  }
  const tokens = json.match(TOKEN);
  if (tokens.length > MOST_TOKENS) {
    return null;
  }
  const parts = [];
  let depth = 0;
  tokens.forEach((token, i) => {
    const next = tokens[i + 1];
    if (token === '{' || token === '[') {
      const isEmpty = next === '}' || next === ']';
      depth += 1;
      parts.push(mark(isEmpty ? token : token + newLine(depth)));
    } else if (token === '}' || token === ']') {
      const isEmpty = tokens[i - 1] === '{' || tokens[i - 1] === '[';
      depth -= 1;
      parts.push(mark(isEmpty ? token : newLine(depth) + token));
    } else if (token === ',') {
      parts.push(mark(token + newLine(depth)));
    } else if (token === ':') {
      parts.push(mark(': '));
    } else {
      parts.push({ text: token, kind: kind(token, next) });
    }
  });
  return parts;
}

/**
 * Returns the parts with what is between brackets as one part, so that it can be folded away.
 *
 * @returns {({text: string, kind: string} | {open: string, close: string, parts: any[], lines: number, depth: number})[]}
 */
export function tree(tokens) {
  const root = { parts: [], lines: 0 };
  const open = [root];
  let deeper = 0;
  tokens.forEach((token) => {
    const bracket = token.kind === 'mark' ? token.text.trim() : '';
    const current = open.at(-1);
    const isOpening = bracket === '{' || bracket === '[';
    const isClosing = bracket === '}' || bracket === ']';
    if (isOpening && open.length > DEEPEST) {
      deeper += 1;
      current.parts.push(token);
    } else if (isClosing && deeper > 0) {
      deeper -= 1;
      current.parts.push(token);
    } else if (isOpening) {
      const node = { open: token.text, close: '', parts: [], lines: 0, depth: open.length - 1 };
      current.parts.push(node);
      open.push(node);
    } else if (isClosing) {
      current.close = token.text;
      open.pop();
      open.at(-1).lines += current.lines + 1;
    } else {
      current.parts.push(token);
      current.lines += token.text.includes('\n') ? 1 : 0;
    }
  });
  return root.parts.map(flat);
}

/** An empty object or list is nothing to fold. */
function flat(node) {
  if (!node.parts) {
    return node;
  }
  return node.parts.length === 0 ? mark(node.open + node.close) : { ...node, lines: node.lines + 1, parts: node.parts.map(flat) };
}

/** Returns the indented text, or the text as it is if it is no JSON. */
export function pretty(json) {
  return prettyTokens(json)?.map((part) => part.text).join('') ?? json;
}

export function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function mark(text) {
  return { text, kind: 'mark' };
}

function newLine(depth) {
  return `\n${'  '.repeat(Math.min(depth, DEEPEST))}`;
}

function kind(token, next) {
  if (token.startsWith('"')) {
    return next === ':' ? 'key' : 'text';
  }
  return /^[-+0-9]/.test(token) ? 'number' : 'word';
}

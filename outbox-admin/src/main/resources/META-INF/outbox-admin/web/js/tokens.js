/**
 * Searches as text: `type:OrderPlaced status:RETRY "no funds"`. A word with a name in front is a filter, one without is looked for
 * in payloads, and a single one that looks like an id is an id.
 */

/** Names of filters, as they are typed and as they are in the address. */
export const TOKENS = new Map([
  ['type', 'eventType'],
  ['status', 'status'],
  ['aggregate', 'aggregateType'],
  ['key', 'aggregateId'],
  ['tenant', 'tenantId'],
  ['error', 'error'],
  ['fingerprint', 'fingerprint'],
  ['text', 'payload'],
]);

const PART = /(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)"|(\S+))/gi;
const ID = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})$/i;

/**
 * Reads a search.
 *
 * @returns {{id: string|null, params: Record<string, string>, unknown: string[]}} names that are not known are told, not dropped
 */
export function parse(text) {
  const params = {};
  const words = [];
  const unknown = [];
  let id = null;
  for (const [whole, rawName, quoted, plain] of text.matchAll(PART)) {
    const name = rawName?.toLowerCase();
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    if (name === undefined) {
      words.push(value);
    } else if (name === 'id') {
      id = value;
    } else if (TOKENS.has(name)) {
      params[TOKENS.get(name)] = name === 'status' ? value.toUpperCase() : value;
    } else {
      unknown.push(whole);
    }
  }
  if (id === null && words.length === 1 && Object.keys(params).length === 0 && ID.test(words[0])) {
    id = words[0];
  } else if (words.length > 0) {
    params.payload = words.join(' ');
  }
  return { id, params, unknown };
}

function quote(value) {
  return /\s|^"/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
}

/** Writes the filters of an address as a search. */
export function write(query) {
  return [...TOKENS]
    .filter(([, param]) => query.has(param))
    .map(([name, param]) => `${name}:${quote(query.get(param))}`)
    .join(' ');
}

/**
 * Returns what could stand in place of the last word.
 *
 * @param {Record<string, string[]>} values known values by the name of a token
 */
export function suggest(text, values) {
  const at = text.search(/\S*$/);
  const [before, word] = [text.slice(0, at), text.slice(at)];
  const colon = word.indexOf(':');
  const candidates =
    colon < 0
      ? ['id', ...TOKENS.keys()].map((name) => `${name}:`)
      : (Object.hasOwn(values, word.slice(0, colon).toLowerCase()) ? values[word.slice(0, colon).toLowerCase()] : []).map((value) => `${word.slice(0, colon + 1)}${quote(value)}`);
  return candidates.filter((each) => each !== word && each.toLowerCase().startsWith(word.toLowerCase())).map((each) => before + each);
}

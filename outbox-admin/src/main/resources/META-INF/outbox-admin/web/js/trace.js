/** The trace that an event belongs to, by the headers that tracing adds. */

const FORMATS = new Map([
  ['traceparent', /^[0-9a-f]{2}-([0-9a-f]{32})-/i],
  ['b3', /^([0-9a-f]{16,32})-/i],
  ['x-b3-traceid', /^([0-9a-f]{16,32})$/i],
]);

/** @param {Record<string, string|null>} headers */
export function traceId(headers) {
  for (const [name, value] of Object.entries(headers)) {
    const id = FORMATS.get(name.toLowerCase())?.exec(value ?? '')?.[1];
    if (id) {
      return id;
    }
  }
  return undefined;
}

export function traceLink(template, id) {
  return template.replaceAll('{traceId}', id);
}

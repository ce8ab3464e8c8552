/** Calls of the administration's API, which is beside the files of the dashboard. */

/** The page is at the base path, with a slash at its end or the name of its file. */
const ROOT = new URL('api/', location.href);
const TOKEN = 'outbox.token';
const PATIENCE_MS = 20_000;
const PATIENCE_FOR_CHANGES_MS = 60_000;

let whenUnauthorized = () => {};

/** The last answer that has a tag: if it is asked for again and is the same, it is not sent again. */
let tagged = { url: '', tag: '', data: null };

/** An answer that is not what was asked for, as RFC 9457 has it. */
export class Problem extends Error {
  /**
   * @param {number} status 0 if there was no answer at all
   * @param {{title?: string, detail?: string}} body
   */
  constructor(status, body) {
    super(body.detail ?? body.title ?? `The server answered ${status}`);
    this.status = status;
    this.title = body.title ?? 'Error';
  }
}

/** Sets what is done when the server wants a token, or another one. */
export function onUnauthorized(action) {
  whenUnauthorized = action;
}

/** Keeps a token for as long as the tab is open. */
export function useToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

export function forgetToken() {
  sessionStorage.removeItem(TOKEN);
}

export function hasToken() {
  return sessionStorage.getItem(TOKEN) !== null;
}

/**
 * Encodes a part of a path, with tildes in place of percent signs: some servers refuse a slash, a backslash or a percent sign that is
 * encoded as usual.
 */
export function segment(text) {
  return encodeURIComponent(text).replaceAll('~', '%7E').replaceAll('.', '%2E').replaceAll('%', '~');
}

/** Returns the path with the parameters that have a value. */
function address(path, params) {
  const url = new URL(path, ROOT);
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') {
      url.searchParams.set(name, value);
    }
  }
  return url;
}

function headers(body, accept) {
  const all = { Accept: accept };
  if (body !== undefined) {
    all['Content-Type'] = 'application/json';
  }
  if (hasToken()) {
    all.Authorization = `Bearer ${sessionStorage.getItem(TOKEN)}`;
  }
  return all;
}

async function problem(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    // What a proxy in between says is of no use here.
  }
  return new Problem(response.status, body);
}

/** Sends a request, and returns the answer if it is a good one. */
async function send(method, url, { body, signal, accept = 'application/json', tag } = {}) {
  let response;
  try {
    response = await fetch(url, {
      method,
      headers: { ...headers(body, accept), ...(tag && { 'If-None-Match': tag }) },
      cache: 'no-store',
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      redirect: 'manual',
    });
  } catch (error) {
    if (error.name === 'TimeoutError') {
      const isChange = method !== 'GET' && !body?.dryRun;
      const detail = isChange
        ? `The server has not answered for ${PATIENCE_FOR_CHANGES_MS / 1000} seconds: check whether it was done`
        : `The server has not answered for ${PATIENCE_MS / 1000} seconds`;
      throw new Problem(0, { title: 'No answer', detail });
    }
    if (signal?.aborted) {
      throw error;
    }
    throw new Problem(0, { title: 'No answer', detail: 'The server cannot be reached' });
  }
  if (response.type === 'opaqueredirect') {
    throw new Problem(0, { title: 'Signed out', detail: 'The server wants you to sign in: load this page again' });
  }
  if (response.status === 401) {
    whenUnauthorized();
  }
  if (!response.ok && response.status !== 304) {
    throw await problem(response);
  }
  return response;
}

/** Returns a signal that also ends what nobody answers. */
function patient(signal, ms = PATIENCE_MS) {
  const timeout = AbortSignal.timeout(ms);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

export async function get(path, params = {}, signal = undefined) {
  const url = address(path, params);
  const known = tagged.url === url.href ? tagged : null;
  const response = await send('GET', url, { signal: patient(signal), tag: known?.tag });
  if (response.status === 304) {
    return known.data;
  }
  const data = await response.json();
  if (response.headers.has('ETag')) {
    tagged = { url: url.href, tag: response.headers.get('ETag'), data };
  }
  return data;
}

/** Returns an answer whose body goes on. */
export function openStream(path, signal) {
  return send('GET', address(path, {}), { signal, accept: 'text/event-stream' });
}

/** Returns what the answer says, or `null` if it says nothing. */
export async function post(path, body = undefined) {
  const signal = patient(undefined, body?.dryRun ? PATIENCE_MS : PATIENCE_FOR_CHANGES_MS);
  const response = await send('POST', address(path, {}), { body, signal });
  return response.status === 204 ? null : response.json();
}

export async function remove(path) {
  const response = await send('DELETE', address(path, {}), { signal: patient(undefined, PATIENCE_FOR_CHANGES_MS) });
  return response.status === 204 ? null : response.json();
}

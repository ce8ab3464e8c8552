/**
 * Where in the dashboard we are: `#/events/some-id?status=DEAD`. Everything that decides what a page shows is in it, so that a
 * reload or a link that was sent shows the same.
 */

/** @returns {{page: string, id: string|undefined, query: URLSearchParams}} */
export function route() {
  const [path, search] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [page, ...rest] = path.split('/');
  return {
    page: page === '' ? 'overview' : page,
    id: rest.length === 0 ? undefined : decode(rest.join('/')),
    query: new URLSearchParams(search ?? ''),
  };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the address of a page; parameters without a value are left out. */
export function href(path, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') {
      query.set(name, value);
    }
  }
  const search = query.toString();
  return `#/${path.split('/').map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

export function eventHref(id) {
  return `#/events/${encodeURIComponent(id)}`;
}

export function go(address) {
  location.hash = address;
}

/** Returns the address of the current page with other parameters; those that are `null` go. */
export function withParams(changes) {
  const { page, query } = route();
  return href(page, { ...Object.fromEntries(query), ...changes });
}

export function onRoute(listener) {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

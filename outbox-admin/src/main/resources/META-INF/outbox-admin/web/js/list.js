/** The list that an event was opened from: the way back to it, and to the events beside it. Kept as long as the tab is open. */

const KEY = 'outbox.list';

/**
 * Remembers the list that is shown.
 *
 * @param {'events'|'dead'} page
 * @param {string[]} ids
 */
export function remember(page, ids) {
  sessionStorage.setItem(KEY, JSON.stringify({ page, address: location.hash, ids }));
}

/**
 * Returns the list that has an event.
 *
 * @returns {{page: string, address: string, previous?: string, next?: string, place: number, size: number} | null}
 */
export function listOf(id) {
  const list = stored();
  const place = list?.ids.indexOf(id) ?? -1;
  if (place < 0) {
    return null;
  }
  const { page, address, ids } = list;
  return { page, address, previous: ids[place - 1], next: ids[place + 1], place: place + 1, size: ids.length };
}

function stored() {
  try {
    const list = JSON.parse(sessionStorage.getItem(KEY));
    return Array.isArray(list?.ids) && String(list.address).startsWith('#/') ? list : null;
  } catch {
    return null;
  }
}

/** Searches that go on by themselves: one call of the server looks at so many events only. */
import { get } from './api.js';

const LONGEST_MS = 10_000;

/**
 * Returns a page of up to `limit` entries that match. `next` says where to go on if there are more, or if looking for them takes
 * too long, or `goesOn`, which is told after each call how many were found, says no.
 */
export async function search(path, params, limit, signal, goesOn) {
  const begun = Date.now();
  let page = await get(path, { ...params, limit }, signal);
  const { items } = page;
  while (page.next !== null && items.length < limit && Date.now() - begun < LONGEST_MS && goesOn(items.length)) {
    page = await get(path, { ...params, after: page.next, limit: limit - items.length }, signal);
    items.push(...page.items);
  }
  return { items, next: page.next };
}

/** Where the keyboard is after a change of page: at its title, which screen readers then say. */

let isWanted = false;

/** The next title that appears takes the focus. */
export function wantFocus() {
  isWanted = true;
}

/** Gives the focus to the title of a new page, unless somebody is busy elsewhere by now. */
export function offerFocus(title) {
  const active = document.activeElement;
  if (isWanted && (active === document.body || active === null || active.closest('.links, .crumbs, .health, .tiles, main') !== null)) {
    title.focus({ preventScroll: true });
  }
  isWanted = false;
}

/** Light or dark: as the system has it, unless somebody has chosen. */

const KEY = 'outbox.theme';
const CHOICES = ['system', 'light', 'dark'];

/** Returns what was chosen. */
export function theme() {
  const stored = localStorage.getItem(KEY);
  return CHOICES.includes(stored) ? stored : 'system';
}

export function applyTheme() {
  document.documentElement.dataset.theme = theme();
}

/** Goes on to the next choice, and returns it. */
export function nextTheme() {
  const next = CHOICES[(CHOICES.indexOf(theme()) + 1) % CHOICES.length];
  localStorage.setItem(KEY, next);
  applyTheme();
  return next;
}

/** Shortcuts of the keyboard. They rest while somebody types, or while a dialog is open. */
import { go, href } from './router.js';

/** What the help shows. */
export const SHORTCUTS = [
  ['g o', 'Overview'],
  ['g e', 'Events'],
  ['g d', 'Dead events'],
  ['g t', 'Types and lanes'],
  ['g a', 'Audit log'],
  ['/', 'Search an event'],
  ['j / k', 'Next or previous entry of a list'],
  ['Enter', 'Open the entry'],
  ['r', 'Load again'],
  ['t', 'System, light or dark'],
  ['?', 'This help'],
];

const PAGES = { o: '', e: 'events', d: 'dead', t: 'types', a: 'audit' };
const SEQUENCE_MS = 1500;

/**
 * Listens to the keyboard.
 *
 * @param {Record<string, () => void>} actions by key
 * @returns {() => void} ends it
 */
export function listenToKeys(actions) {
  let leaderAt = 0;
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) {
      return;
    }
    const isSecond = Date.now() - leaderAt < SEQUENCE_MS;
    leaderAt = event.key === 'g' ? Date.now() : 0;
    if (isSecond && event.key in PAGES) {
      go(href(PAGES[event.key]));
    } else if (event.key === 'j' || event.key === 'k') {
      moveInList(event.key === 'j' ? 1 : -1);
    } else if (event.key in actions) {
      actions[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function isTyping(target) {
  return target instanceof HTMLElement && target.matches('input, select, textarea');
}

function moveInList(step) {
  const entries = [...document.querySelectorAll('[data-entry]')];
  const current = entries.indexOf(document.activeElement);
  const next = entries[current < 0 && step < 0 ? entries.length - 1 : current + step];
  next?.focus();
}

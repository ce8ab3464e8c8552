/** Shortcuts of the keyboard. They rest while somebody types, or while a dialog is open. */
import { go, href } from './router.js';

/** What the help shows. */
export const SHORTCUTS = [
  ['g o', 'Overview'],
  ['g e', 'Events'],
  ['g d', 'Dead events'],
  ['g b', 'Blocked keys, with order by key'],
  ['g t', 'Types and lanes'],
  ['g a', 'Audit log'],
  ['/', 'Search events'],
  ['j / k', 'Next or previous entry of a list, or event'],
  ['Enter', 'Open the entry'],
  ['x', 'Tick the entry'],
  ['r', 'Load again'],
  ['t', 'System, light or dark'],
  ['Ctrl Z', 'Undo what waits to be done'],
  ['?', 'This help'],
];

const PAGES = { o: '', e: 'events', d: 'dead', b: 'blocked', t: 'types', a: 'audit' };
const SEQUENCE_MS = 1500;
const KEY = 'outbox.keys';

/** Whether single keys are shortcuts: who speaks to the computer, or hits keys by mistake, can switch that off. */
export function areKeysOn() {
  return localStorage.getItem(KEY) !== 'off';
}

export function switchKeys(isOn) {
  localStorage.setItem(KEY, isOn ? 'on' : 'off');
}

/**
 * Listens to the keyboard.
 *
 * @param {Record<string, () => void>} actions by key
 * @param {() => boolean} undo for Ctrl+Z; returns whether there was anything to undo
 * @returns {() => void} ends it
 */
export function listenToKeys(actions, undo) {
  let leaderAt = 0;
  const onKey = (event) => {
    if (isTyping(event.target) || document.querySelector('dialog[open]')) {
      return;
    }
    if ((event.ctrlKey || event.metaKey) && event.key === 'z' && undo()) {
      event.preventDefault();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !areKeysOn()) {
      return;
    }
    const isSecond = Date.now() - leaderAt < SEQUENCE_MS;
    leaderAt = event.key === 'g' ? Date.now() : 0;
    if (isSecond && event.key in PAGES) {
      go(href(PAGES[event.key]));
    } else if (event.key === 'j' || event.key === 'k') {
      moveInList(event.key === 'j' ? 1 : -1);
    } else if (event.key === 'x') {
      document.activeElement.closest('tr')?.querySelector('[data-tick]')?.click();
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

/** On the page of an event, goes to its neighbour in the list that it was opened from. */
function moveInList(step) {
  const neighbour = document.querySelector(`[data-step="${step > 0 ? 'j' : 'k'}"]`);
  if (neighbour) {
    neighbour.click();
    return;
  }
  const entries = [...document.querySelectorAll('[data-entry]')];
  const current = entries.indexOf(document.activeElement);
  const next = entries[current < 0 && step < 0 ? entries.length - 1 : current + step];
  next?.focus();
}

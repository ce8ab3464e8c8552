/**
 * Short messages at the edge of the page, and actions that wait for a moment in which they can be undone. Their time stands still while
 * somebody points at them or has the focus there.
 */

const SHOWN_SECONDS = 6;
const ERROR_SHOWN_SECONDS = 12;
const HELD_SECONDS = 5;

let listener = () => {};
let toasts = [];
let lastId = 0;
let timer;

export function onToasts(action) {
  listener = action;
}

function change(next) {
  toasts = next;
  listener(toasts);
}

/** Lets a second pass for all that are not looked at. */
function pass() {
  const over = toasts.filter((toast) => !toast.isLookedAt && toast.left === 1);
  change(toasts.filter((toast) => !over.includes(toast)).map((toast) => (toast.isLookedAt ? toast : { ...toast, left: toast.left - 1 })));
  over.forEach((toast) => toast.whenOver());
  if (toasts.length === 0) {
    clearInterval(timer);
    timer = undefined;
  }
}

function show(toast) {
  lastId += 1;
  change([...toasts, { buttons: [], whenOver: () => {}, isLookedAt: false, ...toast, id: lastId }]);
  timer ??= setInterval(pass, 1000);
}

export function dismiss(id) {
  change(toasts.filter((toast) => toast.id !== id));
}

/** Says whether somebody points at a message or has the focus in it. */
export function lookAt(id, isLookedAt) {
  change(toasts.map((toast) => (toast.id === id ? { ...toast, isLookedAt } : toast)));
}

/** @param {{label: string, run: () => void}[]} buttons */
export function say(text, buttons = []) {
  show({ text, kind: 'done', buttons, left: SHOWN_SECONDS });
}

export function sayProblem(text, error) {
  show({ text: `${text}: ${error.message}`, kind: 'problem', left: ERROR_SHOWN_SECONDS });
}

/**
 * Does something that cannot be taken back a few seconds from now, unless it is undone until then.
 *
 * @param {string} text what is about to be done
 * @param {() => void} action
 */
export function hold(text, action) {
  show({
    text,
    kind: 'held',
    left: HELD_SECONDS,
    whenOver: action,
    buttons: [
      { label: 'Undo', run: () => {} },
      { label: 'Do it now', run: action },
    ],
  });
}

/** Undoes the latest that can be undone, and returns whether there was any. */
export function undoLatest() {
  const toast = toasts.findLast(({ buttons }) => buttons.some(({ label }) => label === 'Undo'));
  if (toast) {
    dismiss(toast.id);
    toast.buttons.find(({ label }) => label === 'Undo').run();
  }
  return toast !== undefined;
}

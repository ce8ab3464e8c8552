/** Short messages at the edge of the page, and actions that wait for a moment in which they can be undone. */

const SHOWN_MS = 6000;
const ERROR_SHOWN_MS = 12_000;
const HELD_SECONDS = 5;

let listener = () => {};
let toasts = [];
let lastId = 0;

export function onToasts(action) {
  listener = action;
}

function change(next) {
  toasts = next;
  listener(toasts);
}

export function dismiss(id) {
  change(toasts.filter((toast) => toast.id !== id));
}

function show(toast) {
  lastId += 1;
  change([...toasts, { ...toast, id: lastId }]);
  return lastId;
}

function update(id, values) {
  change(toasts.map((toast) => (toast.id === id ? { ...toast, ...values } : toast)));
}

/** @param {{label: string, run: () => void}[]} buttons */
export function say(text, buttons = []) {
  const id = show({ text, kind: 'done', buttons });
  setTimeout(() => dismiss(id), SHOWN_MS);
}

export function sayProblem(text, error) {
  const id = show({ text: `${text}: ${error.message}`, kind: 'problem', buttons: [] });
  setTimeout(() => dismiss(id), ERROR_SHOWN_MS);
}

/**
 * Does something that cannot be taken back a few seconds from now, unless it is undone until then.
 *
 * @param {string} text what is about to be done
 * @param {() => void} action
 */
export function hold(text, action) {
  let left = HELD_SECONDS;
  const end = () => {
    clearInterval(timer);
    dismiss(id);
  };
  const act = () => {
    end();
    action();
  };
  const id = show({
    text,
    kind: 'held',
    left,
    buttons: [
      { label: 'Undo', run: end },
      { label: 'Do it now', run: act },
    ],
  });
  const timer = setInterval(() => {
    left -= 1;
    if (left === 0) {
      act();
    } else {
      update(id, { left });
    }
  }, 1000);
}

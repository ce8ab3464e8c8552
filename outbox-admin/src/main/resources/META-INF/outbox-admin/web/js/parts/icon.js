/** Small pictures, drawn with lines in the colour of the text beside them. */
import { h } from '../../lib/preact.mjs';

const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  events: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  dead: 'M4 13v5a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-5h-5a3 3 0 0 1-6 0zM9 4l6 6M15 4l-6 6',
  blocked: 'M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3M12 14v3',
  types: 'M12 3 3 8l9 5 9-5zM3 13l9 5 9-5',
  audit: 'M9 4H7a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V6a2 2 0 0 0-2-2h-2M9 3h6v4H9zM9 13h6M9 17h4',
  check: 'M5 13l4 4L19 7',
  retry: 'M20 11a8 8 0 1 0-2.3 6.3M20 4v7h-7',
  cross: 'M6 6l12 12M18 6 6 18',
  clock: 'M12 8v4l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  dot: 'M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10z',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7z',
  alert: 'M12 9v4M12 17h.01M10.3 4 2.6 17.5A2 2 0 0 0 4.3 20.5h15.4a2 2 0 0 0 1.7-3L13.7 4a2 2 0 0 0-3.4 0z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  screen: 'M4 5h16v11H4zM9 20h6M12 16v4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  link: 'M14 4h6v6M20 4l-9 9M18 14v4a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h4',
  lock: 'M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  help: 'M9.5 9a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1 1-1.1 1.8M12 17h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  undo: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  trash: 'M5 7h14M10 11v6M14 11v6M7 7l1 13h8l1-13M9 7V4h6v3',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  unlock: 'M6 11h12v9H6zM8 11V8a4 4 0 0 1 7.5-2',
  next: 'M9 5l7 7-7 7',
  previous: 'M15 5l-7 7 7 7',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
};

/** @param {{name: keyof PATHS}} props */
export function Icon({ name }) {
  return h(
    'svg',
    { class: `icon icon-${name}`, viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' },
    h('path', { d: PATHS[name] }),
  );
}

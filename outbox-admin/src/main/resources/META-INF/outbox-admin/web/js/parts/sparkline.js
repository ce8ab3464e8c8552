/** Deliveries of the last half hour, as a line beside the number that says how many there are now. */
import { h } from '../../lib/preact.mjs';
import { number } from '../format.js';

const WIDTH = 84;
const HEIGHT = 20;
const MINUTES = 30;

/** Properties: `minutes`, each with `ago` and `done`; a minute that is not among them is a gap. */
export function Sparkline({ minutes }) {
  if (minutes.length < 2) {
    return null;
  }
  const most = Math.max(1, ...minutes.map(({ done }) => done));
  const x = (ago) => ((MINUTES - ago) / (MINUTES - 1)) * WIDTH;
  const y = (done) => HEIGHT - 1 - (done / most) * (HEIGHT - 2);
  const path = minutes.map(({ ago, done }, i) => `${minutes[i - 1]?.ago === ago + 1 ? 'L' : 'M'}${x(ago).toFixed(1)} ${y(done).toFixed(1)}`).join('');
  const text = `Delivered in the last half hour: at most ${number(most)} in a minute`;
  return h('svg', { class: 'sparkline', width: WIDTH, height: HEIGHT, role: 'img', 'aria-label': text }, h('title', null, text), h('path', { d: path }));
}

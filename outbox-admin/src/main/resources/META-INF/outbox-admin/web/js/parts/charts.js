/** The charts of the overview. Who points into one points into all; a click opens the events of that time. */
import { Component, h } from '../../lib/preact.mjs';
import { duration, number, rate } from '../format.js';
import { go, href } from '../router.js';
import { Chart } from './chart.js';

const DELIVERED = {
  title: 'Delivered per second',
  format: rate,
  lines: [{ name: 'Delivered', tone: 'tone-good', value: (point) => point.done, isFilled: true }],
};

const FAILURES = {
  title: 'Failures per minute',
  format: rate,
  lines: [
    { name: 'Failed attempts', tone: 'tone-warn', value: (point) => point.failed, isFilled: true },
    { name: 'Died', tone: 'tone-bad', value: (point) => point.dead },
  ],
};

const WAIT = {
  title: 'Wait from queue to listener',
  format: duration,
  least: 10,
  lines: [
    { name: 'Half within', tone: 'tone-good', value: (point) => point.p50Ms },
    { name: '95 %', tone: 'tone-accent', value: (point) => point.p95Ms },
    { name: '99 %', tone: 'tone-calm', value: (point) => point.p99Ms },
  ],
};

/** Those that are known of a type, too, come first. */
const OF_ALL_TYPES = [
  {
    title: 'Lag of the oldest due event',
    format: duration,
    least: 1000,
    lines: [{ name: 'Lag', tone: 'tone-bad', value: (point) => point.lagMs, isFilled: true }],
  },
  {
    title: 'Queue depths',
    format: number,
    least: 10,
    lines: [
      { name: 'Hot queue', tone: 'tone-warn', value: (point) => point.hotQueue },
      { name: 'Cold queue', tone: 'tone-accent', value: (point) => point.coldQueue },
    ],
  },
];

/** The first is the widest: failures, if there are any. */
function order(points, eventType) {
  const hasFailures = points.some((point) => point.failed > 0 || point.dead > 0);
  const first = hasFailures ? [FAILURES, DELIVERED] : [DELIVERED, FAILURES];
  return eventType ? [...first, WAIT] : [...first, WAIT, ...OF_ALL_TYPES];
}

/** Properties: `points`; `marks`; `eventType`, if they are those of one type. */
export class Charts extends Component {
  state = { index: null };

  onIndex = (index) => this.setState({ index });

  pick = ({ at, seconds }) => {
    const { eventType } = this.props;
    const [from, to] = [at, at + seconds * 1000].map((time) => new Date(time).toISOString());
    go(href('events', { eventType, from, to }));
  };

  render({ points, marks, eventType }, { index }) {
    return h(
      'div',
      { class: 'charts' },
      order(points, eventType).map((chart) => h(Chart, { ...chart, points, marks, index, onIndex: this.onIndex, onPick: this.pick, key: chart.title })),
    );
  }
}

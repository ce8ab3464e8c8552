/** A chart of one or more lines over time, drawn as SVG. What it shows is also said in words. */
import { Component, createRef, h } from '../../lib/preact.mjs';
import { day, dayAndMinute, minute } from '../format.js';

const HEIGHT = 168;
const PAD = { top: 12, right: 8, bottom: 22, left: 52 };
const X_LABEL_PX = 110;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const TICK_MINUTES = [5, 10, 15, 30, 60, 120, 180, 360, 720, DAY_MINUTES, 2 * DAY_MINUTES];

/**
 * Properties: `title`; `points`, each with `at` in milliseconds; `lines`, each with `name`, `tone`, `value(point)`, which may be
 * null, and whether the space below is filled; `format`, how a value is written; `least`, the smallest top of the scale; `marks`, what
 * happened when, each with `at` and `text`; `index`, the point that somebody points at, here or in a chart beside it, or null, and
 * `onIndex` to change it; `onPick(point)`, for a click or Enter.
 */
export class Chart extends Component {
  box = createRef();
  state = { width: 0, said: '' };

  componentDidMount() {
    this.observer = new ResizeObserver(([entry]) => this.setState({ width: Math.floor(entry.contentRect.width) }));
    this.observer.observe(this.box.current);
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  onPointer = (event) => {
    const { points } = this.props;
    const { left, width } = this.box.current.getBoundingClientRect();
    const share = (event.clientX - left - PAD.left) / (width - PAD.left - PAD.right);
    this.point(Math.round(share * (points.length - 1)));
  };

  onKey = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      event.preventDefault();
      const index = this.point((this.props.index ?? this.props.points.length - 1) + step);
      this.setState({ said: atPoint(this.props.points[index], this.props.lines, this.props.format) });
    } else if (event.key === 'Enter') {
      this.pick();
    }
  };

  point(index) {
    const inside = Math.max(0, Math.min(this.props.points.length - 1, index));
    this.props.onIndex(inside);
    return inside;
  }

  pick = () => {
    const { points, index, onPick } = this.props;
    if (points[index]) {
      onPick(points[index]);
    }
  };

  leave = () => this.props.onIndex(null);

  render({ title, points, lines, format, marks, index, least = 1 }, { width, said }) {
    const pointed = points[index];
    return h(
      'figure',
      { class: 'chart card' },
      h('figcaption', null, h('h2', null, title), h(Legend, { lines, pointed, format })),
      h(
        'div',
        {
          class: 'chart-box',
          ref: this.box,
          tabIndex: 0,
          role: 'img',
          'aria-label': inWords(title, points, lines, format),
          onPointerMove: this.onPointer,
          onPointerLeave: this.leave,
          onKeyDown: this.onKey,
          onClick: this.pick,
          onBlur: this.leave,
        },
        width > 0 && h(Drawing, { points, lines, format, least, width, marks, index }),
      ),
      h('span', { class: 'unseen', role: 'status' }, said),
    );
  }
}

function inWords(title, points, lines, format) {
  const sentences = lines.map(({ name, value }) => {
    const values = points.map(value).filter((each) => each !== null);
    return values.length === 0
      ? `${name}: not known`
      : `${name}: ${format(values.at(-1))} at the end, ${format(Math.max(...values))} at most`;
  });
  return `${title}. ${sentences.join('. ')}.`;
}

/** What is said of a point. */
function atPoint(point, lines, format) {
  const values = lines.map(({ name, value }) => `${name} ${value(point) === null ? 'not known' : format(value(point))}`);
  return `${dayAndMinute(point.at)}: ${values.join(', ')}`;
}

/** The names of the lines; with a point, its time and values. */
function Legend({ lines, pointed, format }) {
  return h(
    'div',
    { class: 'legend' },
    pointed && h('span', { class: 'legend-time' }, dayAndMinute(pointed.at)),
    lines.map(({ name, tone, value }) => {
      const shown = pointed && value(pointed);
      return h(
        'span',
        { class: `legend-entry ${tone}`, key: name },
        name,
        pointed && h('b', null, shown === null ? '–' : format(shown)),
      );
    }),
  );
}

function Drawing({ points, lines, format, least, width, marks, index }) {
  const most = Math.max(least, ...lines.flatMap(({ value }) => points.map((point) => value(point) ?? 0)));
  const top = niceTop(most);
  const inner = { width: width - PAD.left - PAD.right, height: HEIGHT - PAD.top - PAD.bottom };
  const x = (i) => PAD.left + (points.length < 2 ? 0 : (i / (points.length - 1)) * inner.width);
  const y = (value) => PAD.top + inner.height - (value / top) * inner.height;
  return h(
    'svg',
    { width, height: HEIGHT, 'aria-hidden': 'true', focusable: 'false' },
    [0, top / 2, top].map((value) =>
      h(
        'g',
        { key: value },
        h('line', { class: 'grid', x1: PAD.left, x2: width - PAD.right, y1: y(value), y2: y(value) }),
        h('text', { class: 'axis', x: PAD.left - 8, y: y(value) + 4, 'text-anchor': 'end' }, format(value)),
      ),
    ),
    ticks(points, inner.width).map(({ i, label }) =>
      h('text', { class: 'axis', x: x(i), y: HEIGHT - 6, 'text-anchor': 'middle', key: i }, label),
    ),
    lines.map(({ name, tone, value, isFilled }) =>
      h(
        'g',
        { class: tone, key: name },
        isFilled && h('path', { class: 'area', d: area(points, value, x, y) }),
        h('path', { class: 'line', d: line(points, value, x, y) }),
      ),
    ),
    marksWithin(points, marks).map(({ i, at, text }) =>
      h(
        'g',
        { class: 'mark', key: `${at} ${text}` },
        h('title', null, `${text}, ${dayAndMinute(at)}`),
        h('line', { x1: x(i), x2: x(i), y1: PAD.top, y2: PAD.top + inner.height }),
        h('path', { d: `M${x(i) - 4} ${PAD.top - 6}h8l-4 6z` }),
      ),
    ),
    points[index] && h('line', { class: 'pointer', x1: x(index), x2: x(index), y1: PAD.top, y2: PAD.top + inner.height }),
  );
}

/** Returns the marks that are in the time of the chart, with their place among the points. */
function marksWithin(points, marks) {
  if (points.length < 2) {
    return [];
  }
  const first = points[0].at;
  const span = points.at(-1).at - first;
  return marks.map((mark) => ({ ...mark, i: ((mark.at - first) / span) * (points.length - 1) })).filter(({ i }) => i >= 0 && i <= points.length - 1);
}

/** Returns a round number that is not less. */
function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((step) => step * power).find((step) => step >= value);
}

/** Returns which points have their time written below them: round times of the viewer's zone, none at the edges. */
function ticks(points, width) {
  if (points.length < 2) {
    return [];
  }
  const minutes = (points.at(-1).at - points[0].at) / MINUTE_MS;
  const most = Math.max(2, Math.floor(width / X_LABEL_PX));
  const step = TICK_MINUTES.find((each) => minutes / each <= most) ?? TICK_MINUTES.at(-1);
  const round = (at) => Math.floor((at / MINUTE_MS - new Date(at).getTimezoneOffset()) / step);
  const margin = Math.ceil((PAD.left / width) * points.length);
  return points.flatMap(({ at }, i) => {
    const isTick = i >= Math.max(1, margin / 2) && i < points.length - margin / 2 && round(at) !== round(points[i - 1].at);
    return isTick ? [{ i, label: step < DAY_MINUTES ? minute(at) : day(at) }] : [];
  });
}

/** Returns a path that begins anew where there is nothing in between. */
function line(points, value, x, y) {
  let isInside = false;
  return points
    .map((point, i) => {
      const each = value(point);
      const command = each === null ? '' : `${isInside ? 'L' : 'M'}${x(i).toFixed(1)} ${y(each).toFixed(1)}`;
      isInside = each !== null;
      return command;
    })
    .join('');
}

/** Returns the space below a line, with gaps where nothing is known. */
function area(points, value, x, y) {
  const parts = [];
  points.forEach((point, i) => {
    const each = value(point);
    if (each === null) {
      return;
    }
    const isFirst = i === 0 || value(points[i - 1]) === null;
    const isLast = i === points.length - 1 || value(points[i + 1]) === null;
    parts.push(isFirst ? `M${x(i).toFixed(1)} ${y(0)}` : '', `L${x(i).toFixed(1)} ${y(each).toFixed(1)}`, isLast ? `L${x(i).toFixed(1)} ${y(0)}Z` : '');
  });
  return parts.join('');
}

/** Fields whose values are in the address of the page. */
import { Component, createRef, h } from '../../lib/preact.mjs';
import { fromLocalInput, toLocalInput } from '../format.js';
import { go, withParams } from '../router.js';

/** Where there is little room, filters are folded away until one is set. */
const WIDE = matchMedia('(min-width: 761px)');

/** Whether somebody has unfolded the filters: a page is made anew with each change of its address. */
let isUnfolded = false;

function noteFold(event) {
  isUnfolded = event.currentTarget.open;
}

/**
 * A field that shows what the address says whenever that changes, and is left alone while somebody types.
 */
class Field extends Component {
  input = createRef();

  componentDidMount() {
    this.showValue();
  }

  componentDidUpdate(before) {
    if (before.value !== this.props.value) {
      this.showValue();
    }
  }

  showValue() {
    const { value, kind } = this.props;
    this.input.current.value = kind === 'time' ? toLocalInput(value) : value;
  }

  onChange = (event) => {
    const { name, kind } = this.props;
    const value = event.target.value.trim();
    go(withParams({ [name]: kind === 'time' ? fromLocalInput(value) : value, after: null }));
  };

  render({ name, label, kind, options, suggestions }) {
    const id = `filter-${name}`;
    const common = { id, ref: this.input, onChange: this.onChange };
    return h(
      'div',
      { class: 'field' },
      h('label', { for: id }, label),
      kind === 'choice'
        ? h('select', common, options.map(([value, text]) => h('option', { value, key: value }, text)))
        : h('input', {
            ...common,
            type: kind === 'time' ? 'datetime-local' : 'text',
            list: suggestions && `${id}-list`,
            autocomplete: 'off',
            spellcheck: false,
          }),
      suggestions &&
        h('datalist', { id: `${id}-list` }, suggestions.map((value) => h('option', { value, key: value }))),
    );
  }
}

/**
 * @param {{
 *   query: URLSearchParams,
 *   fields: {name: string, label: string, kind?: 'choice'|'time', options?: [string, string][], suggestions?: string[]}[]
 *   isFolded?: boolean,
 * }} props `isFolded`: where a search box is the usual way, fields are shown when they are asked for
 */
export class Filters extends Component {
  onWidth = () => this.forceUpdate();

  componentDidMount() {
    WIDE.addEventListener('change', this.onWidth);
  }

  componentWillUnmount() {
    WIDE.removeEventListener('change', this.onWidth);
  }

  render({ query, fields, isFolded }) {
    const set = fields.filter(({ name }) => query.has(name));
    const none = Object.fromEntries(fields.map(({ name }) => [name, null]));
    return h(
      'div',
      { class: 'filter-bar' },
      h(
        'details',
        { class: isFolded ? 'filter-box folded' : 'filter-box', open: isFolded ? isUnfolded : set.length > 0 || WIDE.matches, onToggle: isFolded ? noteFold : undefined },
        h('summary', { class: 'wrap' }, isFolded ? foldedTitle(set, query) : 'Filter'),
        h(
          'form',
          { class: 'filters', role: 'search', 'aria-label': 'Filter', onSubmit: (event) => event.preventDefault() },
          fields.map((field) => h(Field, { ...field, value: query.get(field.name) ?? '', key: field.name })),
        ),
      ),
      set.length > 0 && h('a', { class: 'button quiet', href: withParams({ ...none, status: null, after: null }) }, 'Clear'),
    );
  }
}

function foldedTitle(set, query) {
  return set.length === 0 ? 'More filters' : `Filtered by ${set.map(({ name, label }) => `${label.toLowerCase()} ${query.get(name)}`).join(', ')}`;
}

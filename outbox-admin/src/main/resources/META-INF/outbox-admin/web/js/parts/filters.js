/** Fields whose values are in the address of the page. */
import { Component, createRef, h } from '../../lib/preact.mjs';
import { fromLocalInput, toLocalInput } from '../format.js';
import { go, withParams } from '../router.js';

/** Where there is little room, filters are folded away until one is set. */
const WIDE = matchMedia('(min-width: 761px)');

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
 * }} props
 */
export function Filters({ query, fields }) {
  const names = fields.map((field) => field.name);
  const isSet = names.some((name) => query.has(name));
  const none = Object.fromEntries(names.map((name) => [name, null]));
  return h(
    'details',
    { class: 'filter-box', open: isSet || WIDE.matches },
    h('summary', null, 'Filter'),
    h(
      'form',
      { class: 'filters', role: 'search', 'aria-label': 'Filter', onSubmit: (event) => event.preventDefault() },
      fields.map((field) => h(Field, { ...field, value: query.get(field.name) ?? '', key: field.name })),
      h('div', { class: 'filters-end' }, isSet && h('a', { class: 'button quiet', href: withParams({ ...none, after: null }) }, 'Clear')),
    ),
  );
}

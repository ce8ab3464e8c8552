/** One box for all searches: filters by name, ids, and texts in payloads, with suggestions. */
import { Component, createRef, h } from '../../lib/preact.mjs';
import { eventHref, go, withParams } from '../router.js';
import { sayProblem } from '../toasts.js';
import { TOKENS, parse, suggest, write } from '../tokens.js';
import { Icon } from './icon.js';

const MOST = 12;

/** Properties: `query` of the address; `values`, what is known for each token; `without`, tokens that are not possible here. */
export class TokenSearch extends Component {
  input = createRef();
  state = { text: '' };

  componentDidMount() {
    this.show();
  }

  componentDidUpdate(before) {
    if (write(before.query) !== write(this.props.query)) {
      this.show();
    }
  }

  show() {
    const text = write(this.props.query);
    this.input.current.value = text;
    this.setState({ text });
  }

  onInput = (event) => this.setState({ text: event.currentTarget.value });

  submit = (event) => {
    event.preventDefault();
    const { id, params, unknown } = parse(this.input.current.value);
    const hidden = this.props.without.filter((name) => TOKENS.get(name) in params);
    if (unknown.length > 0) {
      sayProblem('Not searched', new Error(`${unknown.join(', ')} is not known. Known are ${[...TOKENS.keys()].join(', ')} and id`));
    } else if (hidden.length > 0) {
      sayProblem('Not searched', new Error(`${hidden.join(', ')} cannot be searched for, since a mask hides parts of it`));
    } else if (id !== null) {
      go(eventHref(id));
    } else {
      const none = Object.fromEntries([...TOKENS.values()].map((param) => [param, null]));
      go(withParams({ ...none, ...params, after: null }));
    }
  };

  render({ values, without }, { text }) {
    const options = suggest(text, values).filter((each) => !without.some((name) => each.endsWith(`${name}:`)));
    return h(
      'form',
      { class: 'search tokens', role: 'search', 'aria-label': 'Search events', onSubmit: this.submit },
      h(Icon, { name: 'search' }),
      h('input', {
        id: 'search',
        ref: this.input,
        type: 'text',
        list: 'search-suggestions',
        placeholder: 'Event id, or type:… status:… key:… error:… text',
        'aria-label': 'Search events',
        autocomplete: 'off',
        spellcheck: false,
        onInput: this.onInput,
      }),
      h('datalist', { id: 'search-suggestions' }, options.slice(0, MOST).map((value) => h('option', { value, key: value }))),
    );
  }
}

/** Rows of a list that are ticked, and what is done to them. */
import { Component, h } from '../../lib/preact.mjs';
import { actOn } from '../actions.js';
import { actionNames, actionOf } from '../event-actions.js';
import { plural } from '../format.js';
import { Confirm } from './dialog.js';
import { Icon } from './icon.js';

/**
 * Shows a list with a column of ticks in front, and a bar with actions while some are set.
 *
 * Properties: `rows`, each with `id` and `status`; `canResolve`; `show`, which gets the column and returns the list.
 */
export class Ticks extends Component {
  state = { ids: new Set(), action: null };

  /** The row that was ticked last: with Shift, all between it and the next are. */
  last = null;

  chosen() {
    return this.props.rows.filter((row) => this.state.ids.has(row.id));
  }

  tick = (id, event) => {
    const { rows } = this.props;
    const at = rows.findIndex((row) => row.id === id);
    const from = event.shiftKey && this.last !== null ? rows.findIndex((row) => row.id === this.last) : at;
    const isTicked = event.currentTarget.checked;
    const ids = new Set(this.state.ids);
    for (const row of rows.slice(Math.min(from < 0 ? at : from, at), Math.max(from, at) + 1)) {
      isTicked ? ids.add(row.id) : ids.delete(row.id);
    }
    this.last = id;
    this.setState({ ids });
  };

  tickAll = (event) => this.setState({ ids: new Set(event.currentTarget.checked ? this.props.rows.map((row) => row.id) : []) });

  act(action) {
    actOn(action, this.chosen().map((row) => row.id), actionOf(action).word);
    this.setState({ ids: new Set(), action: null });
  }

  render({ rows, canResolve, show }, { ids, action }) {
    const chosen = this.chosen();
    const column = {
      label: h('input', { type: 'checkbox', 'aria-label': 'Tick all rows', checked: chosen.length > 0 && chosen.length === rows.length, onClick: this.tickAll }),
      name: 'tick',
      kind: 'tick',
      cell: (row) => h('input', { type: 'checkbox', 'aria-label': `Tick ${row.id}`, 'data-tick': true, checked: ids.has(row.id), onClick: (event) => this.tick(row.id, event) }),
    };
    const names = actionNames(chosen.map((row) => row.status), canResolve);
    return h(
      'div',
      null,
      show(column),
      chosen.length > 0 &&
        h(
          'div',
          { class: 'ticked', role: 'region', 'aria-label': 'Ticked events' },
          h('span', { class: 'grow', role: 'status' }, `${plural(chosen.length, 'event')} ticked`),
          names.length === 0 && h('span', { class: 'muted' }, 'Nothing can be done to these'),
          names.map((name) =>
            h(
              'button',
              { class: 'button', key: name, 'aria-label': `${actionOf(name).word} the ticked events`, onClick: () => this.setState({ action: name }) },
              h(Icon, { name: actionOf(name).icon }),
              actionOf(name).word,
            ),
          ),
          h('button', { class: 'button quiet', onClick: () => this.setState({ ids: new Set() }) }, 'Clear'),
        ),
      action &&
        h(
          Confirm,
          { title: `${actionOf(action).word}: ${plural(chosen.length, 'event')}?`, action: actionOf(action).word, isDanger: actionOf(action).isDanger, onConfirm: () => this.act(action), onClose: () => this.setState({ action: null }) },
          actionOf(action).says,
        ),
    );
  }
}

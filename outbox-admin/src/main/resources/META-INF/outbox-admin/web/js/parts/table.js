/** A table that becomes a list of cards where there is no room for it. */
import { h } from '../../lib/preact.mjs';

/**
 * @param {{
 *   caption: string,
 *   columns: {label: any, name?: string, cell: (row: any) => any, kind?: string}[],
 *   rows: any[],
 *   id: (row: any) => string,
 *   rowClass?: (row: any) => string
 * }} props
 */
export function Table({ caption, columns, rows, id, rowClass = () => '' }) {
  return h(
    'table',
    { class: 'table' },
    h('caption', { class: 'unseen' }, caption),
    h('thead', null, h('tr', null, columns.map(({ label, name = label, kind }) => h('th', { scope: 'col', class: kind, key: name }, label)))),
    h(
      'tbody',
      null,
      rows.map((row) =>
        h(
          'tr',
          { key: id(row), class: rowClass(row) },
          columns.map(({ label, name = label, cell, kind }) => h('td', { class: kind, 'data-label': name, key: name }, cell(row))),
        ),
      ),
    ),
  );
}

import {
  type ColumnDef,
  getCoreRowModel,
  getSortedRowModel,
  type Header,
  useReactTable,
} from '@tanstack/react-table';
import type { ReactNode } from 'react';
import { Name } from './name';
import styles from './table.module.css';

export type Column<Row> = {
  header: string;
  /** The header is only read out. */
  isHeaderHidden?: boolean;
  cell: (row: Row) => ReactNode;
  /** A column with a value can be sorted. A list with pages has none, because not all rows are here. */
  sortBy?: (row: Row) => string | number | null | undefined;
  /** Class of the header and of the cells. */
  className?: string | undefined;
  /** Title of the cell. */
  title?: (row: Row) => string | null | undefined;
  /** The cells name their rows. */
  isRowHeader?: boolean;
};

type TableProps<Row> = {
  caption: string;
  className?: string | undefined;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  getKey: (row: Row) => string;
  /** The row that is open beside the table. */
  currentKey?: string | undefined;
  getRowClass?: (row: Row) => string | undefined;
  /** Shown below a row, as wide as the table. */
  renderDetail?: (row: Row) => ReactNode;
  /** Shown if there are no rows. */
  empty?: string | undefined;
};

/** A table whose columns can be sorted. Its rows have the order of `rows` at first. */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, className = 'wide-rows', columns, rows, getKey, empty } = props;
  const table = useReactTable<Row>({
    data: rows as Row[],
    columns: columns.map(toColumnDef),
    getRowId: getKey,
    getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(),
    // Each reset would render again, and each rendering has new columns and rows.
    autoResetAll: false,
  });
  return (
    <>
      <table className={className}>
        <caption className="vh">{caption}</caption>
        <thead>
          <tr>
            {table.getFlatHeaders().map((header, index) => (
              <HeaderCell key={header.id} header={header} column={columns[index]} />
            ))}
          </tr>
        </thead>
        <tbody>
          {table.getRowModel().rows.map(({ id, original }) => (
            <TableRow
              key={id}
              {...props}
              id={id}
              row={original}
              isCurrent={id === props.currentKey}
            />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && empty && <p className="nothing">{empty}</p>}
    </>
  );
}

function toColumnDef<Row>({ sortBy }: Column<Row>, index: number): ColumnDef<Row> {
  const id = String(index);
  if (!sortBy) return { id };
  return {
    id,
    accessorFn: (row) => sortBy(row) ?? undefined,
    sortingFn: (a, b) => compareValues(a.getValue(id), b.getValue(id)),
    // Rows without a value come last.
    sortUndefined: 'last',
  };
}

const collator = new Intl.Collator('en', { numeric: true });

function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b);
  return Number(a > b) - Number(a < b);
}

const sortNames = { asc: 'ascending', desc: 'descending' } as const;

function HeaderCell<Row>({
  header: { column: sortable },
  column,
}: {
  header: Header<Row, unknown>;
  column: Column<Row> | undefined;
}) {
  const { header, className, isHeaderHidden } = column ?? {};
  if (!sortable.getCanSort()) {
    return (
      <th scope="col" className={className}>
        {isHeaderHidden ? <span className="vh">{header}</span> : header}
      </th>
    );
  }
  const order = sortable.getIsSorted();
  return (
    <th scope="col" className={className} aria-sort={order ? sortNames[order] : 'none'}>
      <button type="button" className={styles.sort} onClick={sortable.getToggleSortingHandler()}>
        {header}
        {order && <span aria-hidden="true">{order === 'asc' ? ' ↑' : ' ↓'}</span>}
      </button>
    </th>
  );
}

const show = (row: HTMLTableRowElement | null) => row?.scrollIntoView({ block: 'nearest' });

function TableRow<Row>({
  columns,
  id,
  row,
  isCurrent,
  getRowClass,
  renderDetail,
}: TableProps<Row> & { id: string; row: Row; isCurrent: boolean }) {
  const detail = renderDetail?.(row);
  return (
    <>
      <tr
        ref={isCurrent ? show : null}
        aria-current={isCurrent ? 'true' : undefined}
        data-row={id}
        className={getRowClass?.(row)}
      >
        {columns.map((column) => (
          <Cell key={column.header} column={column} row={row} />
        ))}
      </tr>
      {detail && (
        <tr className="alert">
          <td colSpan={columns.length}>{detail}</td>
        </tr>
      )}
    </>
  );
}

/** A text is a name or address, or has some. */
function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { className, cell, title, isRowHeader } = column;
  const attributes = { className, title: title?.(row) ?? undefined };
  const value = cell(row);
  const content = typeof value === 'string' ? <Name text={value} /> : value;
  if (isRowHeader) {
    return (
      <th scope="row" {...attributes}>
        {content}
      </th>
    );
  }
  return <td {...attributes}>{content}</td>;
}

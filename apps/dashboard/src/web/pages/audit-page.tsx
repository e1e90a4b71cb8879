import { getOwn } from '@belfry/shared';
import { useState } from 'react';
import { useLocation } from 'react-router';
import type { AuditPage as AuditAnswer, AuditRow } from '../../api/audit';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { AuditFilterBar } from '../audit/filter-bar';
import { readAuditFilters, toAuditQuery } from '../audit/filters';
import { formatKind } from '../audit/format-field';
import { listChanges } from '../audit/list-changes';
import { getSubjectPath } from '../audit/subject-path';
import { useServices } from '../context';
import { convertDates } from '../dates';
import { Button, Link } from '../parts/controls';
import { IgnoredParams } from '../parts/ignored-params';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { AwayBar, ProblemNote, Waiting } from '../parts/notes';
import stacked from '../parts/stacked-rows.module.css';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import styles from './audit-page.module.css';

const readEveryMs = 15_000;

export function AuditPage() {
  const { search } = useLocation();
  return <AuditList key={search} search={search} />;
}

function AuditList({ search }: { search: string }) {
  const { api } = useServices();
  const { filters, ignored } = readAuditFilters(search);
  const [query] = useState(() => toAuditQuery(filters, Date.now()));
  const [older, setOlder] = useState<AuditAnswer[]>([]);
  // With older pages, a first page that moves on would leave a gap.
  const everyMs = older.length === 0 ? readEveryMs : undefined;
  const first = useAnswer('GET /api/audit', { query }, { everyMs });
  const [problem, setProblem] = useState<PageProblem>();
  const pages = first.value ? [first.value, ...older] : [];
  const next = pages.at(-1)?.next;
  async function readOlder() {
    if (!next) return;
    const answer = await api.call('GET /api/audit', { query: { ...query, before: next } });
    setProblem('problem' in answer ? answer.problem : undefined);
    if ('value' in answer) setOlder([...older, answer.value]);
  }
  const isEmpty = first.value && pages.every(({ entries }) => entries.length === 0);
  return (
    <div className="pane">
      <AuditFilterBar filters={filters} />
      <AwayBar loaded={first} reload={first.reload} />
      <IgnoredParams ignored={ignored} />
      {first.value ? (
        <AuditTable pages={pages} />
      ) : (
        <Waiting loaded={first} reload={first.reload} what="the audit log" />
      )}
      {isEmpty && <p className="nothing">No changes{next ? ' so far' : ''}.</p>}
      <ProblemNote problem={problem} />
      {next && (
        <div className="more">
          <Button look="small" onClick={() => void readOlder()}>
            Show older changes
          </Button>
        </div>
      )}
    </div>
  );
}

type AuditName = AuditAnswer['names'][string];
type Entry = { entry: AuditRow; names: AuditAnswer['names'] };

const columns: Column<Entry>[] = [
  {
    header: 'Time',
    className: 'c-when num-left',
    title: ({ entry }) => new Date(entry.at).toISOString(),
    cell: ({ entry }) => <Moment at={entry.at} />,
  },
  {
    header: 'Operator',
    cell: ({ entry: { operator, operatorId, change } }) => (
      <Link
        to="/audit"
        search={`operator=${operatorId ?? 'none'}`}
        title="Show only changes by this operator"
      >
        <Name text={operator ?? getAuthor(change)} />
      </Link>
    ),
  },
  { header: 'Action', className: `ev ${stacked.line}`, cell: ({ entry }) => entry.action },
  { header: 'Object', cell: (entry) => <Subject {...entry} /> },
  { header: 'App', className: 'opt', cell: (entry) => <AppName {...entry} /> },
  {
    header: 'Change',
    className: `opt ${styles.change} ${stacked.line}`,
    cell: (entry) => <Changes {...entry} />,
  },
];

/** An API key or Belfry itself, if no operator made the change. */
function getAuthor(change: AuditRow['change']): string {
  const by = change?.['by'];
  return typeof by === 'string' ? by : 'the command line';
}

function AuditTable({ pages }: { pages: AuditAnswer[] }) {
  const rows = pages.flatMap(({ entries, names }) => entries.map((entry) => ({ entry, names })));
  return (
    <Table
      caption="Changes"
      className={`${styles.rows} ${stacked.rows}`}
      columns={columns}
      rows={rows}
      getKey={({ entry }) => entry.id}
    />
  );
}

function AppName({ entry: { appId }, names }: Entry) {
  const app = appId === null ? undefined : getOwn(names, appId);
  if (!app || appId === null) return null;
  return (
    <span data-label="app">
      {app.isRemoved ? (
        `${app.name} (removed)`
      ) : (
        <Link to={buildPath(appId, 'log')}>{app.name}</Link>
      )}
    </span>
  );
}

function Subject({ entry, names }: Entry) {
  const { subject } = entry;
  const name = getOwn(names, subject);
  const text = getSubjectText(entry, name);
  const path = getSubjectPath(entry, names);
  if (path === undefined) return <span title={subject}>{text}</span>;
  return (
    <Link to={path} title={subject}>
      <Name text={text} />
    </Link>
  );
}

function getSubjectText({ action, subject, before }: AuditRow, name: AuditName | undefined) {
  // A removed rule has no row any more.
  if (action.startsWith('alert.')) return formatKind(name?.name ?? before?.['kind']) ?? subject;
  return name ? `${name.name}${name.isRemoved ? ' (removed)' : ''}` : subject;
}

/** `Port: 25 → 587` for each changed field. */
function Changes({ entry, names }: Entry) {
  return listChanges(entry, names).map(({ path, label, before, after }) => (
    <div key={path}>
      <span className="dim">{label}:</span>{' '}
      {entry.before !== null && (
        <>
          <del>{convertDates(before ?? 'none')}</del> →{' '}
        </>
      )}
      <Name text={convertDates(after ?? 'none')} />
    </div>
  ));
}

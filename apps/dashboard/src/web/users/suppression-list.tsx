import { formatSuppressedSender, formatSuppressor } from '@belfry/shared';
import { useState } from 'react';
import type { SuppressionRow } from '../../api/suppressions';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { ExportButton } from '../parts/export-button';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { AwayBar, ProblemNote, Waiting } from '../parts/notes';
import { PageHead } from '../parts/page-head';
import stacked from '../parts/stacked-rows.module.css';
import { type Column, Table } from '../parts/table';
import { AllowDialog } from './allow-dialog';
import { channelColumn } from './channel-column';
import { ImportDialog } from './import-dialog';
import { SuppressDialog } from './suppress-dialog';
import styles from './users.module.css';

const readEveryMs = 15_000;

/** The suppressed addresses of the app, sorted. */
export function SuppressionList({ text }: { text: string }) {
  const { mayChange } = useSession();
  const app = useApp();
  const { api } = useServices();
  const [dialog, setDialog] = useState<'add' | 'import'>();
  const [allowed, setAllowed] = useState<SuppressionRow>();
  const list = useSuppressions(text);
  const { first, rows } = list;
  return (
    <section className="pane" aria-label="Suppressions">
      <AwayBar loaded={first} reload={first.reload} />
      <PageHead
        action={
          <span className={`row-acts ${styles.listActions}`}>
            <ExportButton
              name="belfry-suppressions.csv"
              read={() =>
                api.download('GET /api/apps/:appId/suppressions.csv', {
                  appId: app.id,
                  query: text ? { text } : {},
                })
              }
              onProblem={list.setProblem}
            />
            {mayChange && (
              <>
                <Button look="small" onClick={() => setDialog('import')}>
                  Import CSV
                </Button>
                <Button look="main-action" onClick={() => setDialog('add')}>
                  Suppress address
                </Button>
              </>
            )}
          </span>
        }
      >
        Addresses that bounced, opted out, or were added by an operator. Messages to them are
        skipped and shown in the log.
      </PageHead>
      {list.problem && (
        <div className="pad">
          <ProblemNote problem={list.problem} />
        </div>
      )}
      {!first.value && <Waiting loaded={first} reload={first.reload} what="suppressions" />}
      {rows.length > 0 && <SuppressionTable rows={rows} onAllow={setAllowed} />}
      {first.value && rows.length === 0 && (
        <p className="nothing">
          {text ? `No suppressed address starts with ${text}.` : 'No suppressed addresses.'}
        </p>
      )}
      {list.readMore && (
        <div className="more">
          <Button look="small" onClick={list.readMore}>
            Show more addresses
          </Button>
        </div>
      )}
      {allowed && (
        <AllowDialog row={allowed} onClose={() => setAllowed(undefined)} onDone={list.readAnew} />
      )}
      {dialog === 'add' && (
        <SuppressDialog onClose={() => setDialog(undefined)} onDone={list.readAnew} />
      )}
      {dialog === 'import' && (
        <ImportDialog onClose={() => setDialog(undefined)} onDone={list.readAnew} />
      )}
    </section>
  );
}

function useSuppressions(text: string) {
  const app = useApp();
  const { api } = useServices();
  const [problem, setProblem] = useState<PageProblem>();
  const [more, setMore] = useState<{ rows: SuppressionRow[]; next: string | null }>();
  const query = text ? { text } : {};
  const first = useAnswer(
    'GET /api/apps/:appId/suppressions',
    { appId: app.id, query },
    // With older pages, a first page that moves on would leave a gap.
    { everyMs: more ? undefined : readEveryMs },
  );
  const next = more ? more.next : (first.value?.next ?? null);
  async function readMore(after: string) {
    const answer = await api.call('GET /api/apps/:appId/suppressions', {
      appId: app.id,
      query: { ...query, after },
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    if ('problem' in answer) return;
    const { suppressions, next: following } = answer.value;
    setMore({ rows: [...(more?.rows ?? []), ...suppressions], next: following });
  }
  async function readAnew() {
    setMore(undefined);
    await first.reload();
  }
  return {
    first,
    rows: [...(first.value?.suppressions ?? []), ...(more?.rows ?? [])],
    problem,
    setProblem,
    readMore: next === null ? undefined : () => void readMore(next),
    readAnew,
  };
}

function SuppressionTable({
  rows,
  onAllow,
}: {
  rows: SuppressionRow[];
  onAllow: (row: SuppressionRow) => void;
}) {
  const { mayChange } = useSession();
  const actions: Column<SuppressionRow> = {
    header: 'Actions',
    isHeaderHidden: true,
    className: `${styles.action} right ${stacked.line}`,
    cell: (row) =>
      mayChange && (
        <Button
          look="small"
          aria-label={`Allow ${row.channel} to ${row.address}`}
          onClick={() => onAllow(row)}
        >
          Allow
        </Button>
      ),
  };
  return (
    <Table
      caption="Suppressed addresses"
      className={`wide-rows ${stacked.rows}`}
      columns={[...columns, actions]}
      rows={rows}
      getKey={({ id }) => id}
    />
  );
}

const columns: Column<SuppressionRow>[] = [
  channelColumn,
  {
    header: 'Address',
    className: `ev ${stacked.line}`,
    title: ({ address }) => address,
    cell: ({ address }) => <Name text={address} />,
  },
  { header: 'Reason', className: styles.reason, cell: ({ reason }) => reason.replaceAll('_', ' ') },
  {
    header: 'Detail',
    className: stacked.text,
    cell: ({ sender, scope, detail }) => (
      <>
        <span className="faint">
          for {formatSuppressedSender(sender)}
          {scope === 'optional' && ', optional events only'}
        </span>{' '}
        {detail}
      </>
    ),
  },
  {
    header: 'By',
    className: 'opt',
    title: ({ addedBy }) => addedBy,
    cell: ({ source, addedBy }) => (
      <span data-label="by">
        <Name text={formatSuppressor(source, addedBy)} />
      </span>
    ),
  },
  {
    header: 'Since',
    className: 'num c-when opt',
    cell: ({ at }) => (
      <span data-label="since">
        <Moment at={at} />
      </span>
    ),
  },
];

import type { EventAnswer, VersionRow } from '../../api/events';
import { useApp } from '../context';
import { formatMoment } from '../dates';
import { Button, Link } from '../parts/controls';
import { AwayBar, ProblemNote, Waiting } from '../parts/notes';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import type { useVersionList } from './use-version';
import { draftName, versionSearch } from './version-place';
import styles from './versions.module.css';

/** List of versions: number, time, operator, note and live mark. */
export function VersionList({
  event,
  list,
  openId,
  hasDraft,
  onOpen,
}: {
  event: EventAnswer;
  list: ReturnType<typeof useVersionList>;
  openId: string;
  /** Whether the draft differs from the live version. */
  hasDraft: boolean;
  onOpen: () => void;
}) {
  const { first, versions, hasOlder, readOlder, problem } = list;
  const app = useApp();
  const rows = versions.map((version) => toRow(version, event));
  const columns: Column<Row>[] = [
    {
      header: 'Version',
      className: `${styles.name} ev`,
      cell: ({ id, name, isLive }) => (
        <>
          <Link to={buildPath(app.id, 'events', event.id)} search={versionSearch(id)} onGo={onOpen}>
            {name}
          </Link>
          {isLive && <span className="tag on">live</span>}
        </>
      ),
    },
    {
      header: 'Published',
      cell: ({ at, text, note }) => (
        <>
          <span className="dim" title={new Date(at).toISOString()}>
            {text}
          </span>
          <small title={note}>{note}</small>
        </>
      ),
    },
  ];
  return (
    <section className={`pane linked ${styles.list}`} aria-label="Versions">
      <AwayBar loaded={first} reload={first.reload} />
      <Table
        caption="Versions"
        columns={columns}
        rows={hasDraft ? [toDraftRow(event), ...rows] : rows}
        getKey={({ id }) => id}
        currentKey={openId}
      />
      {!first.value && <Waiting loaded={first} reload={first.reload} what="versions" />}
      {first.value && versions.length === 0 && (
        <p className="nothing">No versions yet: calls of this event get 400.</p>
      )}
      <ProblemNote problem={problem} />
      {hasOlder && (
        <div className="more">
          <Button look="small" onClick={() => void readOlder()}>
            Show older versions
          </Button>
        </div>
      )}
    </section>
  );
}

type Row = {
  id: string;
  name: string;
  isLive: boolean;
  at: number;
  /** When and by whom. */
  text: string;
  note: string;
};

function toDraftRow({ draft: { savedAt, savedBy } }: EventAnswer): Row {
  const by = savedBy ? `, ${savedBy}` : '';
  const text = `Saved ${formatMoment(savedAt)}${by}`;
  return { id: draftName, name: 'draft', isLive: false, at: savedAt, text, note: 'not published' };
}

function toRow(version: VersionRow, { live }: EventAnswer): Row {
  const { id, number, createdAt, createdBy } = version;
  return {
    id,
    name: `v${number}`,
    isLive: live?.id === id,
    at: createdAt,
    text: `${formatMoment(createdAt)}, ${createdBy ?? 'the command line'}`,
    note: describeVersion(version) || 'no note',
  };
}

/** Note of the version. */
function describeVersion({ note, rolledBackTo }: VersionRow): string {
  const rolled = rolledBackTo === null ? '' : `rollback to v${rolledBackTo}`;
  return [rolled, note].filter(Boolean).join(': ');
}

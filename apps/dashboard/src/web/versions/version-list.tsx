import { useEffect, useRef } from 'react';
import type { EventAnswer, VersionRow } from '../../api/events';
import { useApp } from '../context';
import { moment } from '../format';
import { Button, Link } from '../parts/controls';
import { AwayBar, Waiting } from '../parts/notes';
import { buildPath } from '../route';
import type { useVersionList } from './use-version';
import { draftName, versionSearch } from './version-place';

/** List of versions: number, time, operator, note and live mark. */
export function VersionList({
  event,
  list,
  openId,
  hasDraft,
}: {
  event: EventAnswer;
  list: ReturnType<typeof useVersionList>;
  openId: string;
  /** Whether the draft differs from the live version. */
  hasDraft: boolean;
}) {
  const { first, versions, hasOlder, readOlder } = list;
  return (
    <section className="pane version-list linked" aria-label="Versions">
      <AwayBar loaded={first} reload={first.reload} />
      <table className="wide-rows">
        <thead>
          <tr>
            <th className="c-version">Version</th>
            <th>Published</th>
          </tr>
        </thead>
        <tbody>
          {hasDraft && <DraftRow event={event} isOpen={openId === draftName} />}
          {versions.map((version) => (
            <VersionTableRow
              key={version.id}
              version={version}
              event={event}
              isOpen={version.id === openId}
            />
          ))}
        </tbody>
      </table>
      {!first.value && <Waiting loaded={first} reload={first.reload} what="versions" />}
      {first.value && versions.length === 0 && (
        <p className="nothing">No versions yet: calls of this event get 400.</p>
      )}
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

function DraftRow({ event, isOpen }: { event: EventAnswer; isOpen: boolean }) {
  const app = useApp();
  const { savedAt, savedBy } = event.draft;
  return (
    <tr aria-current={isOpen ? 'true' : undefined}>
      <td className="ev">
        <Link to={buildPath(app.id, 'events', event.id)} search={versionSearch(draftName)}>
          draft
        </Link>
      </td>
      <td>
        <span className="dim">
          Saved {moment(savedAt, Date.now())}
          {savedBy && `, ${savedBy}`}
        </span>
        <small>not published</small>
      </td>
    </tr>
  );
}

function VersionTableRow({
  version,
  event,
  isOpen,
}: {
  version: VersionRow;
  event: EventAnswer;
  isOpen: boolean;
}) {
  const app = useApp();
  const rowRef = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isOpen) rowRef.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  const description = describeVersion(version);
  return (
    <tr ref={rowRef} aria-current={isOpen ? 'true' : undefined}>
      <td className="ev">
        <Link to={buildPath(app.id, 'events', event.id)} search={versionSearch(version.id)}>
          v{version.number}
        </Link>
        {event.live?.id === version.id && <span className="tag on">live</span>}
      </td>
      <td>
        <span className="dim" title={new Date(version.createdAt).toISOString()}>
          {moment(version.createdAt, Date.now())}, {version.createdBy ?? 'the command line'}
        </span>
        <small title={description}>{description || 'no note'}</small>
      </td>
    </tr>
  );
}

/** Note of the version. */
function describeVersion({ note, rolledBackTo }: VersionRow): string {
  const rolled = rolledBackTo === null ? '' : `rollback to v${rolledBackTo}`;
  return [rolled, note].filter(Boolean).join(': ');
}

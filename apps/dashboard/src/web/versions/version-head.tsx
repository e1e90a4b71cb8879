import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { EventAnswer, VersionRow } from '../../api/events';
import type { PageProblem, Result } from '../api';
import { useApp, useServices, useSession } from '../context';
import { formatFull } from '../dates';
import { listChanges } from '../editor/definition';
import type { Draft } from '../editor/use-draft';
import { Button, Link } from '../parts/controls';
import { Name } from '../parts/name';
import { PaneHeading } from '../parts/pane';
import { SelectChip } from '../parts/select-chip';
import { buildPath } from '../route';
import { ReplaceDraftDialog } from './replace-draft-dialog';
import { formatTitle, type ViewedVersion } from './use-version';
import { draftName } from './version-place';
import styles from './versions.module.css';

type HeadProps = {
  event: EventAnswer;
  draft: Draft;
  viewedVersion: ViewedVersion;
  before: ViewedVersion | undefined;
  versions: readonly VersionRow[];
  /** Whether the version is shown on a phone. */
  isShown: boolean;
  onAgainst: (id: string) => void;
  onEvent: (event: EventAnswer) => void;
  onRollBack: () => void;
  onProblem: (problem: PageProblem | undefined) => void;
};

/** Title, comparison and actions of a version. */
export function VersionHead(props: HeadProps) {
  const { event, viewedVersion, isShown } = props;
  const { mayChange } = useSession();
  const isLive = event.live?.id === viewedVersion.id;
  return (
    <div className={styles.head}>
      <div className={styles.titleLine}>
        <PaneHeading className="mono" isShown={isShown}>
          {viewedVersion.title}
        </PaneHeading>
        {isLive && <span className="tag on">live</span>}
        <AgainstChip {...props} />
        <span className="grow" />
        {mayChange && <Acts {...props} isLive={isLive} />}
      </div>
      {viewedVersion.row && <Published row={viewedVersion.row} />}
    </div>
  );
}

function Published({ row }: { row: VersionRow }) {
  const { kind, createdAt, createdBy, note, rolledBackTo } = row;
  return (
    <p className="small dim">
      {kind === 'test' ? 'Tested' : 'Published'} {formatFull(createdAt)} by{' '}
      <Name text={createdBy ?? 'the command line'} />
      {rolledBackTo !== null && `, rollback to v${rolledBackTo}`}.{note && ` ${note}`}
    </p>
  );
}

function AgainstChip({ event, viewedVersion, before, versions, onAgainst }: HeadProps) {
  const all = [
    { value: draftName, text: 'draft' },
    ...versions.map((version) => ({
      value: version.id,
      text: version.id === event.live?.id ? `${formatTitle(version)}, live` : formatTitle(version),
    })),
  ].filter(({ value }) => value !== viewedVersion.id);
  const isListed = all.some(({ value }) => value === before?.id);
  const options = before && !isListed ? [...all, { value: before.id, text: before.title }] : all;
  return (
    <SelectChip
      name="compared with"
      value={before?.id}
      none={before ? 'previous version' : 'nothing'}
      options={options}
      onChange={onAgainst}
    />
  );
}

type Replacement = { title: string; send: () => Promise<Result<EventAnswer>> };

function Acts({
  event,
  draft,
  viewedVersion,
  onEvent,
  onRollBack,
  onProblem,
  isLive,
}: HeadProps & { isLive: boolean }) {
  const app = useApp();
  const { api } = useServices();
  const navigate = useNavigate();
  const [replacement, setReplacement] = useState<Replacement>();
  const input = { appId: app.id, eventId: event.id, body: { basedOn: draft.saved.revision } };
  const restore: Replacement = {
    title: viewedVersion.title,
    send: () =>
      api.call('POST /api/apps/:appId/events/:eventId/versions/:versionId/restore', {
        ...input,
        versionId: viewedVersion.id,
      }),
  };
  const discard: Replacement = {
    title: `v${event.liveNumber}`,
    send: () => api.call('POST /api/apps/:appId/events/:eventId/discard', input),
  };
  function showDraft(next: EventAnswer) {
    onEvent(next);
    void navigate(buildPath(app.id, 'events', event.id));
  }
  async function replaceDraft(next: Replacement) {
    if (hasChanges(event, draft)) return setReplacement(next);
    const answer = await next.send();
    onProblem('problem' in answer ? answer.problem : undefined);
    if ('value' in answer) showDraft(answer.value);
  }
  return (
    <>
      {viewedVersion.id === draftName ? (
        <>
          {event.live && (
            <Button look="small" onClick={() => void replaceDraft(discard)}>
              Revert draft to {discard.title}
            </Button>
          )}
          <Link className="btn small" to={buildPath(app.id, 'events', event.id)}>
            Edit
          </Link>
        </>
      ) : (
        <>
          <Button look="small" onClick={() => void replaceDraft(restore)}>
            Restore as draft
          </Button>
          {!isLive && event.live && viewedVersion.row?.kind === 'live' && (
            <Button look="small main-action" onClick={onRollBack}>
              Roll back to {viewedVersion.title}
            </Button>
          )}
        </>
      )}
      {replacement && (
        <ReplaceDraftDialog
          {...replacement}
          draft={event.draft}
          onDone={showDraft}
          onClose={() => setReplacement(undefined)}
        />
      )}
    </>
  );
}

function hasChanges({ live }: EventAnswer, { definition }: Draft): boolean {
  return !live || listChanges(live.definition, definition).length > 0;
}

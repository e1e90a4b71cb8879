import type { EventAnswer, VersionAnswer } from '../../api/events';
import { useApp, useServices } from '../context';
import { listChanges } from '../editor/definition';
import type { Draft } from '../editor/use-draft';
import { plural } from '../format';
import { ChangeReview } from './change-review';
import { GoLiveDialog, type GoLiveProps } from './go-live-dialog';
import type { ViewedVersion } from './use-version';

type RollBackProps = {
  event: EventAnswer;
  to: ViewedVersion;
  draft: Draft;
  onEvent: (event: EventAnswer) => void;
  onReload: () => Promise<void>;
  onClose: () => void;
};

/** Publishes an older version again as a new one. The versions in between stay in the list. */
export function RollBackDialog({ event, to, draft, onEvent, ...on }: RollBackProps) {
  const app = useApp();
  const { api } = useServices();
  const rollBack: GoLiveProps['send'] = async (note, live) => {
    if (!live || (draft.isDirty && !(await draft.save()))) return { value: undefined };
    return api.call('POST /api/apps/:appId/events/:eventId/versions/:versionId/roll-back', {
      appId: app.id,
      eventId: event.id,
      versionId: to.id,
      body: { basedOnLive: live.id, note },
    });
  };
  return (
    <GoLiveDialog
      {...on}
      event={event}
      definition={to.definition}
      title={`Roll back ${event.name} to ${to.title}`}
      action="Roll back"
      noteHint="Reason for the rollback, shown in the list of versions."
      send={rollBack}
      onDone={onEvent}
    >
      {({ live }) => live && <Review live={live} to={to} draft={draft} />}
    </GoLiveDialog>
  );
}

function Review({
  live,
  to,
  draft,
}: Pick<RollBackProps, 'to' | 'draft'> & { live: VersionAnswer }) {
  const changes = listChanges(live.definition, to.definition);
  const isDraftKept = listChanges(live.definition, draft.definition).length > 0;
  return (
    <>
      <p>
        This publishes {to.title} again as a new version, with {plural(changes.length, 'change')}{' '}
        from v{live.number}. Requests already accepted keep v{live.number}.
      </p>
      <p className="dim">
        {isDraftKept
          ? `The draft is kept, because it differs from v${live.number}.`
          : 'The draft is rolled back, too.'}
      </p>
      <ChangeReview live={live} next={to} />
    </>
  );
}

import type { EventAnswer } from '../../api/events';
import { useReload } from '../answers';
import { useApp, useServices } from '../context';
import { ChangeReview } from '../versions/change-review';
import { GoLiveDialog, type GoLiveProps } from '../versions/go-live-dialog';
import { listChanges } from './definition';
import type { Draft } from './use-draft';

type PublishProps = {
  event: EventAnswer;
  draft: Draft;
  onEvent: (event: EventAnswer) => void;
  onReload: () => Promise<void>;
  onClose: () => void;
};

/** Shows the changes before publishing, and publishes only if there are some. A published version never changes. */
export function PublishDialog({ event, draft, onEvent, onReload, onClose }: PublishProps) {
  const app = useApp();
  const { api } = useServices();
  const reload = useReload();
  const isSame =
    event.live !== null && listChanges(event.live.definition, draft.definition).length === 0;
  const publish: GoLiveProps['send'] = async (note, live) => {
    const saved = draft.isDirty ? await draft.save() : draft.saved;
    if (!saved) return { value: undefined };
    return api.call('POST /api/apps/:appId/events/:eventId/publish', {
      appId: app.id,
      eventId: event.id,
      body: { basedOn: saved.revision, basedOnLive: live?.id ?? null, note },
    });
  };
  return (
    <GoLiveDialog
      event={event}
      definition={draft.definition}
      title={`Publish ${event.name}`}
      action="Publish"
      noteHint="Reason for the change, shown in the list of versions."
      isDisabled={isSame}
      problems={draft.checked.problems}
      send={publish}
      onDone={async (published) => {
        onEvent(published);
        await reload('GET /api/apps/:appId/events', { appId: app.id });
      }}
      onReload={onReload}
      onClose={onClose}
    >
      {(seen) => (
        <>
          <Review {...seen} />
          {isSame && <p className="faint small">There is no change to publish.</p>}
        </>
      )}
    </GoLiveDialog>
  );
}

/** The difference between the live version and the draft. */
function Review({ live, definition }: Parameters<GoLiveProps['children']>[0]) {
  if (!live)
    return <p>This is the first version. Callers can send the event as soon as it is published.</p>;
  return (
    <>
      <p>Requests already accepted keep v{live.number}.</p>
      <ChangeReview live={live} next={{ title: 'draft', definition }} />
    </>
  );
}

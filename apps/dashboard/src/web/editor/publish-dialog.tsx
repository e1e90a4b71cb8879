import type { EventAnswer } from '../../api/events';
import { useReload } from '../answers';
import type { Result } from '../api';
import { useApp, useServices } from '../context';
import { Comparison } from '../versions/comparison';
import { GoLiveDialog } from '../versions/go-live-dialog';
import { listChanges } from './definition';
import styles from './editor.module.css';
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
  async function publish(note: string): Promise<Result<EventAnswer | undefined>> {
    const saved = draft.isDirty ? await draft.save() : draft.saved;
    if (!saved) return { value: undefined };
    return api.call('POST /api/apps/:appId/events/:eventId/publish', {
      appId: app.id,
      eventId: event.id,
      body: { basedOn: saved.revision, basedOnLive: event.live?.id ?? null, note },
    });
  }
  return (
    <GoLiveDialog
      event={event}
      definition={draft.definition}
      title={`Publish ${event.name}`}
      action="Publish"
      noteHint="Reason for the change, shown in the list of versions."
      isDisabled={isSame}
      isWide
      problems={draft.checked.problems}
      send={publish}
      onDone={async (published) => {
        onEvent(published);
        await reload('GET /api/apps/:appId/events', { appId: app.id });
      }}
      onReload={onReload}
      onClose={onClose}
    >
      <Review event={event} draft={draft} />
      {isSame && <p className="faint small">There is no change to publish.</p>}
    </GoLiveDialog>
  );
}

/** The difference between the live version and the draft. */
function Review({
  event: { live, liveNumber },
  draft: { definition },
}: Pick<PublishProps, 'event' | 'draft'>) {
  if (!live)
    return <p>This is the first version. Callers can send the event as soon as it is published.</p>;
  const title = `v${liveNumber}`;
  return (
    <>
      <p>Requests already accepted keep {title}.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
      <section className={styles.review} tabIndex={0} aria-label={`Changes since ${title}`}>
        <Comparison
          before={{ title, definition: live.definition }}
          after={{ title: 'draft', definition }}
        />
      </section>
    </>
  );
}

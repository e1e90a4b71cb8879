import type { EventAnswer } from '../../api/events';
import { useApp, useSession } from '../context';
import { formatMoment } from '../dates';
import { plural } from '../format';
import { Button, Link } from '../parts/controls';
import { Icon } from '../parts/icons';
import { Name } from '../parts/name';
import { buildPath } from '../route';
import { draftName, versionSearch } from '../versions/version-place';
import { listChanges } from './definition';
import styles from './editor.module.css';
import type { Draft } from './use-draft';

export type EventDialog = 'publish' | 'test';

export function DraftBar({
  event,
  draft,
  onOpen,
}: {
  event: EventAnswer;
  draft: Draft;
  onOpen: (dialog: EventDialog) => void;
}) {
  const app = useApp();
  const { mayChange } = useSession();
  const changes = event.live ? listChanges(event.live.definition, draft.definition).length : 0;
  const isSame = event.live !== null && changes === 0;
  return (
    <div className={`bar ${styles.draftBar}`}>
      <span className="tag mono on">{isSame ? `v${event.liveNumber} live` : 'draft'}</span>
      <span className="dim cut small" role="status">
        {event.live &&
          !isSame &&
          `${plural(changes, 'change')} since v${event.liveNumber}, live since ${formatMoment(event.live.createdAt)}. `}
        {event.live === null && 'No live version: calls of this event get 400. '}
        <Name text={formatSaveState(draft)} />
      </span>
      <span className="grow" />
      <Link
        className="btn"
        to={buildPath(app.id, 'events', event.id)}
        search={versionSearch(isSame && event.live ? event.live.id : draftName)}
      >
        Versions
      </Link>
      <Button onClick={() => onOpen('test')}>
        <Icon name="play" size={13} />
        {mayChange ? 'Test send' : 'Dry run'} <kbd data-keys="t" />
      </Button>
      {mayChange && (
        <Button look="main-action" disabled={isSame} onClick={() => onOpen('publish')}>
          Review and publish
        </Button>
      )}
    </div>
  );
}

function formatSaveState({ isDirty, isSaving, saved, problem }: Draft): string {
  if (problem) return 'Not saved.';
  if (isSaving) return 'Saving…';
  if (isDirty) return 'Unsaved changes.';
  return `Saved ${formatMoment(saved.savedAt)}${saved.savedBy ? ` by ${saved.savedBy}` : ''}.`;
}

import type { EventAnswer } from '../../api/events';
import { useApp, useDesk } from '../context';
import { clock, day, plural } from '../format';
import { Button, Link } from '../parts/controls';
import { Icon } from '../parts/icons';
import { pathOf } from '../route';
import { draftName, versionSearch } from '../versions/version-place';
import { changesOf } from './definition';
import type { Floating } from './event-page';
import type { Draft } from './use-draft';

export function DraftBar({
  event,
  draft,
  onOpen,
}: {
  event: EventAnswer;
  draft: Draft;
  onOpen: (what: Floating) => void;
}) {
  const app = useApp();
  const { mayChange } = useDesk();
  const changes = event.live ? changesOf(event.live.definition, draft.definition).length : 0;
  const isSame = event.live !== null && changes === 0;
  return (
    <div className="bar">
      <span className="tag mono on">{isSame ? `v${event.liveNumber} live` : 'draft'}</span>
      <span className="dim cut small" role="status">
        {event.live &&
          !isSame &&
          `${plural(changes, 'change')} since v${event.liveNumber}, live since ${day(event.live.createdAt)}. `}
        {event.live === null && 'Nothing is live: callers get 400 for this event. '}
        {savedWords(draft)}
      </span>
      <span className="grow" />
      <Link
        className="btn"
        to={pathOf(app.id, 'events', event.id)}
        search={versionSearch(isSame && event.live ? event.live.id : draftName)}
      >
        Versions
      </Link>
      {mayChange && (
        <>
          <Button onClick={() => onOpen('test')}>
            <Icon name="play" size={13} />
            Test send <kbd data-keys="t" />
          </Button>
          <Button look="main-action" disabled={isSame} onClick={() => onOpen('publish')}>
            Review and publish
          </Button>
        </>
      )}
    </div>
  );
}

function savedWords({ isDirty, isSaving, saved, problem }: Draft): string {
  if (problem) return 'Not saved.';
  if (isSaving) return 'Saving.';
  if (isDirty) return 'Not saved yet.';
  return `Saved ${clock(saved.savedAt)}${saved.savedBy ? ` by ${saved.savedBy}` : ''}.`;
}

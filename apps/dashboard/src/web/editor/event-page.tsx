import { useState } from 'react';
import { useLocation } from 'react-router';
import type { EventAnswer } from '../../api/events';
import { useAnswer } from '../answers';
import { useApp, useSession } from '../context';
import { useKeys } from '../keyboard';
import { Divider } from '../parts/divider';
import { IgnoredParams } from '../parts/ignored-params';
import { AwayBar, Waiting } from '../parts/notes';
import { readVersionPlace } from '../versions/version-place';
import { VersionsView } from '../versions/versions-view';
import { FirstChannel } from './add-channel';
import { ChannelEditor } from './channel-editor';
import { ChannelTabs } from './channel-tabs';
import { ConflictBar } from './conflict-bar';
import { listLocales } from './definition';
import { DraftBar, type EventDialog } from './draft-bar';
import { DraftGuard } from './draft-guard';
import styles from './editor.module.css';
import { EventSettings } from './event-settings';
import { PreviewColumn } from './preview-column';
import { PublishDialog } from './publish-dialog';
import { SamplePanel } from './sample-panel';
import { TestSendDialog } from './test-send-dialog';
import { type Draft, useDraft } from './use-draft';
import { useSample } from './use-sample';

const readAgainMs = 10_000;
const previewPx = 460;

export function EventPage({ openId = '' }: { openId: string | undefined }) {
  return <OneEvent key={openId} eventId={openId} />;
}

function OneEvent({ eventId }: { eventId: string }) {
  const app = useApp();
  const event = useAnswer(
    'GET /api/apps/:appId/events/:eventId',
    { appId: app.id, eventId },
    { everyMs: readAgainMs },
  );
  return (
    <div className={styles.page}>
      <AwayBar loaded={event} reload={event.reload} />
      {event.value ? (
        <OpenEvent event={event.value} onEvent={event.set} onReload={event.reload} />
      ) : (
        <Waiting loaded={event} reload={event.reload} what="event" />
      )}
    </div>
  );
}

type EventProps = {
  event: EventAnswer;
  onEvent: (event: EventAnswer) => void;
  onReload: () => Promise<void>;
};

/** Keeps the draft while a version is shown, so that no input is lost. */
function OpenEvent(props: EventProps) {
  const { search } = useLocation();
  const draft = useDraft(props.event);
  const { place, ignored } = readVersionPlace(search);
  function adopt(next: EventAnswer) {
    props.onEvent(next);
    draft.take(next.draft);
  }
  return (
    <>
      <DraftGuard draft={draft} name={props.event.name} />
      {place ? (
        <VersionsView {...props} {...{ draft, place, ignored }} onEvent={adopt} />
      ) : (
        <EventEditor {...props} draft={draft} ignored={ignored} />
      )}
    </>
  );
}

type EditorProps = EventProps & { draft: Draft; ignored: readonly string[] };

function EventEditor({ event, onEvent, onReload, draft, ignored }: EditorProps) {
  const { mayChange, registry } = useSession();
  const { definition } = draft;
  const channels = registry.channels.map(({ channel }) => channel);
  const own = channels.filter((channel) => channel in definition.channels);
  const [tab, setTab] = useState(own[0] ?? 'settings');
  const [locale, setLocale] = useState(definition.defaultLocale);
  const [floating, setFloating] = useState<EventDialog>();
  const sample = useSample(event, draft, getCurrentLocale());
  const current = tab === 'settings' || own.includes(tab) ? tab : (own[0] ?? 'settings');
  function getCurrentLocale() {
    return listLocales(definition).includes(locale) ? locale : definition.defaultLocale;
  }
  useKeys({
    t: () => setFloating('test'),
    'mod+s': () => mayChange && void draft.save(),
  });
  function adopt(next: EventAnswer) {
    onEvent(next);
    draft.take(next.draft);
    setFloating(undefined);
  }
  const onClose = () => setFloating(undefined);
  const dialogProps = { event, draft, sample, onEvent: adopt, onReload, onClose };
  return (
    <div className="split">
      <div>
        <DraftBar event={event} draft={draft} onOpen={setFloating} />
        <ConflictBar draft={draft} />
        <IgnoredParams ignored={ignored} />
        <ChannelTabs
          draft={draft}
          current={current}
          locale={getCurrentLocale()}
          onTab={setTab}
          onLocale={setLocale}
        />
      </div>
      <div className={`body ${styles.panes}`}>
        <section className={`pane ${styles.fields}`} aria-label={current}>
          {current === 'settings' ? (
            <>
              {own.length === 0 && mayChange && <FirstChannel draft={draft} onTab={setTab} />}
              <EventSettings event={event} draft={draft} onEvent={onEvent} />
            </>
          ) : (
            <ChannelEditor
              key={`${current} ${getCurrentLocale()}`}
              channel={current}
              locale={getCurrentLocale()}
              draft={draft}
              data={sample.data}
            />
          )}
          <SamplePanel sample={sample} />
        </section>
        <PreviewColumn sample={sample} channel={current} draft={draft} />
        <Divider name="event" side="last" initialPx={previewPx} />
      </div>
      {floating === 'publish' && <PublishDialog {...dialogProps} />}
      {floating === 'test' && <TestSendDialog {...dialogProps} />}
    </div>
  );
}

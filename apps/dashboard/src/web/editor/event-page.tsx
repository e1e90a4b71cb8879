import { useState } from 'react';
import type { EventAnswer } from '../../api/events';
import { useAnswer, useApp, useDesk } from '../context';
import { useKeys } from '../keyboard';
import { Divider } from '../parts/divider';
import { AwayBar, Waiting } from '../parts/notes';
import { FirstChannel } from './add-channel';
import { ChannelEditor } from './channel-editor';
import { ChannelTabs } from './channel-tabs';
import { ConflictBar } from './conflict-bar';
import { localesOf } from './definition';
import { DraftBar } from './draft-bar';
import { EventSettings } from './event-settings';
import { HistoryDialog } from './history-dialog';
import { PreviewColumn } from './preview-column';
import { PublishDialog } from './publish-dialog';
import { SamplePanel } from './sample-panel';
import { TestSendDialog } from './test-send-dialog';
import { useDraft } from './use-draft';
import { useSample } from './use-sample';

const readAgainMs = 10_000;
const previewPx = 460;

export function EventPage({ eventId }: { eventId: string }) {
  const app = useApp();
  const event = useAnswer(
    `event ${app.id} ${eventId}`,
    (api) => api.readEvent(app.id, eventId),
    readAgainMs,
  );
  return (
    <div className="event-page">
      <AwayBar loaded={event} reload={event.reload} />
      {event.value ? (
        <EventEditor event={event.value} onEvent={event.set} />
      ) : (
        <Waiting loaded={event} reload={event.reload} what="event" />
      )}
    </div>
  );
}

export type Floating = 'publish' | 'history' | 'test' | undefined;

function EventEditor({
  event,
  onEvent,
}: {
  event: EventAnswer;
  onEvent: (event: EventAnswer) => void;
}) {
  const { mayChange, registry } = useDesk();
  const draft = useDraft(event);
  const { definition } = draft;
  const channels = registry.channels.map(({ channel }) => channel);
  const own = channels.filter((channel) => channel in definition.channels);
  const [tab, setTab] = useState(own[0] ?? 'settings');
  const [locale, setLocale] = useState(definition.defaultLocale);
  const [floating, setFloating] = useState<Floating>();
  const sample = useSample(event, draft, shownLocale());
  const current = tab === 'settings' || own.includes(tab) ? tab : (own[0] ?? 'settings');
  function shownLocale() {
    return localesOf(definition).includes(locale) ? locale : definition.defaultLocale;
  }
  useKeys({
    t: () => mayChange && setFloating('test'),
    'mod+s': () => mayChange && void draft.save(),
  });
  function adopt(next: EventAnswer) {
    onEvent(next);
    draft.take(next.draft);
    setFloating(undefined);
  }
  const parts = { event, draft, sample, onEvent: adopt, onClose: () => setFloating(undefined) };
  return (
    <div className="split ev">
      <div>
        <DraftBar event={event} draft={draft} onOpen={setFloating} />
        <ConflictBar draft={draft} />
        <ChannelTabs
          draft={draft}
          current={current}
          locale={shownLocale()}
          onTab={setTab}
          onLocale={setLocale}
        />
      </div>
      <div className="body">
        <section className="pane ev-left" aria-label={current}>
          {current === 'settings' ? (
            <>
              {own.length === 0 && mayChange && <FirstChannel draft={draft} onTab={setTab} />}
              <EventSettings event={event} draft={draft} onEvent={onEvent} />
            </>
          ) : (
            <ChannelEditor
              key={`${current} ${shownLocale()}`}
              channel={current}
              locale={shownLocale()}
              draft={draft}
              data={sample.data}
            />
          )}
          <SamplePanel sample={sample} />
        </section>
        <PreviewColumn sample={sample} channel={current} draft={draft} />
        <Divider name="event" side="last" initialPx={previewPx} />
      </div>
      {floating === 'publish' && <PublishDialog {...parts} />}
      {floating === 'history' && <HistoryDialog {...parts} />}
      {floating === 'test' && <TestSendDialog {...parts} />}
    </div>
  );
}

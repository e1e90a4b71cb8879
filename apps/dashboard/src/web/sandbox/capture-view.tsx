import { useState } from 'react';
import type { Capture, CaptureAnswer } from '../../api/captures';
import type { PageProblem } from '../api';
import { useAnswer, useApp, usePlace, useServices, useSession } from '../context';
import { plural } from '../format';
import { CodeBlock, JsonBlock } from '../parts/code';
import { Button, Link, Tabs } from '../parts/controls';
import { AwayBar, NoteBox, ProblemNote, Waiting } from '../parts/notes';
import { getText, toFields } from '../previews/content';
import { PreviewFrame } from '../previews/preview-frame';
import { ThemeSegments } from '../previews/theme-segments';
import { buildPath } from '../route';
import { versionSearch } from '../versions/version-place';
import { WaitCommand } from './wait-command';

/** What one request was captured as, on every channel, and the open one of them in full. */
export function CaptureView({ captureId, onGone }: { captureId: string; onGone: () => void }) {
  const app = useApp();
  const capture = useAnswer(`capture ${captureId}`, (api) => api.readCapture(app.id, captureId));
  const { value } = capture;
  const open = value?.captures.find(({ id }) => id === captureId);
  return (
    <section className="pane view" aria-label="Rendered">
      <AwayBar loaded={capture} reload={capture.reload} />
      {!value && <Waiting loaded={capture} reload={capture.reload} what="capture" />}
      {value && open && (
        <>
          <ViewHead group={value} open={open} onGone={onGone} />
          <ViewTabs group={value} open={open} />
        </>
      )}
    </section>
  );
}

function ViewHead({
  group,
  open,
  onGone,
}: {
  group: CaptureAnswer;
  open: Capture;
  onGone: () => void;
}) {
  const app = useApp();
  const { event, version, requestId, captures } = group;
  const channels = new Set(captures.map(({ channel }) => channel)).size;
  return (
    <div className="d-head">
      <div className="line">
        <h2 className="cut">{event?.name ?? 'Its request is gone'}</h2>
        {event && version && (
          <Link
            className="tag mono"
            to={buildPath(app.id, 'events', event.id)}
            search={versionSearch(version.id)}
            title="The version that it was made from"
          >
            {version.kind === 'test' ? 'test' : `v${version.number}`}
          </Link>
        )}
        <span className="dim small cut grow" title={open.target}>
          to {open.target}, captured on {plural(channels, 'channel')}
        </span>
        {requestId && (
          <Link className="btn small" to={buildPath(app.id, 'log', requestId)}>
            Open in the log
          </Link>
        )}
        <DeleteButton capture={open} onGone={onGone} />
      </div>
      <WaitCommand capture={open} requestId={requestId} />
      {group.isSensitive && (
        <NoteBox tone="plain">
          A sensitive event: what it said is not kept, here neither. Try it in an app where it is
          not marked so.
        </NoteBox>
      )}
    </div>
  );
}

function DeleteButton({ capture, onGone }: { capture: Capture; onGone: () => void }) {
  const app = useApp();
  const { api } = useServices();
  const { mayChange } = useSession();
  const [problem, setProblem] = useState<PageProblem>();
  if (!mayChange) return null;
  async function remove() {
    const answer = await api.removeCapture(app.id, capture.id);
    if ('problem' in answer && answer.problem.code !== 'not_found') setProblem(answer.problem);
    else onGone();
  }
  return (
    <>
      <Button look="small bare" onClick={() => void remove()}>
        Delete<span className="vh"> the capture of {capture.channel}</span>
      </Button>
      <ProblemNote problem={problem} />
    </>
  );
}

const fixedTabs = ['all', 'one', 'source', 'call', 'json'] as const;
type TabId = (typeof fixedTabs)[number];
const isTab = (id: string | null): id is TabId => fixedTabs.some((each) => each === id);

/** The tab stands in the address, so that a link shows the same. */
function ViewTabs({ group, open }: { group: CaptureAnswer; open: Capture }) {
  const { places } = useServices();
  const { path, search } = usePlace();
  const [theme, setTheme] = useState<'light' | 'dark'>('light');
  const params = new URLSearchParams(search);
  const requestedTab = params.get('tab');
  const tab = isTab(requestedTab) ? requestedTab : 'all';
  const tabs = [
    { id: 'all', content: 'All channels' },
    { id: 'one', content: open.channel },
    { id: 'source', content: getSource(open).title },
    { id: 'call', content: 'Provider call' },
    { id: 'json', content: 'JSON' },
  ];
  function selectTab(id: string) {
    params.set('tab', id);
    places.go(path, { search: params.toString(), isReplacing: true });
  }
  const isDark = theme === 'dark';
  return (
    <>
      <Tabs
        label="Capture"
        tabs={tabs}
        current={tab}
        onChange={selectTab}
        after={
          (tab === 'all' || tab === 'one') && (
            <span className="tabs-after">
              <ThemeSegments value={theme} onChange={setTheme} />
            </span>
          )
        }
      />
      <div role="tabpanel" aria-labelledby={`tab-${tab}`} className="view-body">
        {tab === 'all' && <Gallery group={group} open={open} isDark={isDark} />}
        {tab === 'one' && (
          <div className={`stage one ${open.channel}`}>
            <CapturePreview capture={open} isDark={isDark} hasControls />
          </div>
        )}
        {tab === 'source' && <Source capture={open} />}
        {tab === 'call' && <ProviderCall capture={open} />}
        {tab === 'json' && <Raw group={group} open={open} />}
      </div>
    </>
  );
}

type ViewProps = { group: CaptureAnswer; open: Capture };

/** Of one message the newest attempt, unless an older one is open. */
function Gallery({ group, open, isDark }: ViewProps & { isDark: boolean }) {
  const visibleCaptures = group.captures.filter(
    (one, at, all) =>
      one.id === open.id ||
      (one.messageId !== open.messageId &&
        all.findIndex(({ messageId }) => messageId === one.messageId) === at),
  );
  return (
    <div className={visibleCaptures.length === 1 ? 'gallery of-one' : 'gallery'}>
      {visibleCaptures.map((capture) => (
        <CapturePreview
          key={capture.id}
          capture={capture}
          isDark={isDark}
          isCurrent={capture.id === open.id && visibleCaptures.length > 1}
        />
      ))}
    </div>
  );
}

function CapturePreview({
  capture,
  ...looks
}: {
  capture: Capture;
  isDark: boolean;
  hasControls?: boolean;
  isCurrent?: boolean;
}) {
  const { channel, content, notes, request, target, outcome } = capture;
  return (
    <PreviewFrame
      channel={channel}
      content={content}
      notes={notes}
      request={request}
      target={target}
      {...(outcome === 'accepted' ? {} : { aside: outcome })}
      {...looks}
    />
  );
}

/** What a template made, before a reader dresses it. */
function getSource({ content }: Capture): { title: string; text: string | undefined } {
  const fields = toFields(content);
  const html = getText(fields, 'html');
  if (html) return { title: 'HTML source', text: html };
  const blocks = fields['blocks'];
  if (blocks !== undefined) return { title: 'Blocks', text: JSON.stringify(blocks, null, 2) };
  return { title: 'Source', text: getText(fields, 'text', 'body', 'preview') || undefined };
}

function Source({ capture }: { capture: Capture }) {
  const { title, text } = getSource(capture);
  return (
    <div className="pad">
      {text === undefined ? (
        <p className="dim">It has no text of its own.</p>
      ) : (
        <CodeBlock title={title} text={text} />
      )}
    </div>
  );
}

function ProviderCall({ capture }: { capture: Capture }) {
  const { operation, body } = toFields(capture.request);
  return (
    <div className="pad">
      <p className="dim">
        What {capture.provider} would have been asked; no credential stands in it. Attempt{' '}
        {capture.attempt} was {capture.outcome}.
      </p>
      <JsonBlock title={typeof operation === 'string' ? operation : 'Request'} value={body} />
    </div>
  );
}

function Raw({ group, open }: ViewProps) {
  return (
    <div className="pad">
      <JsonBlock title={`${open.channel} content`} value={open.content} />
      <JsonBlock title="Data of the call" value={group.data} />
      <JsonBlock title="Noted when it was composed" value={open.notes} />
    </div>
  );
}

import { useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import type { Capture, CaptureAnswer } from '../../api/captures';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { plural } from '../format';
import { CodeBlock, JsonBlock } from '../parts/code';
import { Button, Link, Tabs } from '../parts/controls';
import { AwayBar, NoteBox, ProblemNote, Waiting } from '../parts/notes';
import { PaneHeading } from '../parts/pane';
import { getText, toFields } from '../previews/content';
import { PreviewFrame } from '../previews/preview-frame';
import { ThemeSegments } from '../previews/theme-segments';
import { buildPath } from '../route';
import { versionSearch } from '../versions/version-place';
import styles from './sandbox.module.css';
import { WaitCommand } from './wait-command';

/** Messages of other channels are captured later. */
const readEveryMs = 5_000;

/** All captures of one request, with the open one in full. */
export function CaptureView({
  captureId,
  isOpen,
  onBack,
  onGone,
}: {
  captureId: string;
  /** Whether it was opened. On a phone, the newest capture is hidden until then. */
  isOpen: boolean;
  onBack: () => void;
  onGone: () => void;
}) {
  const app = useApp();
  const { search } = useLocation();
  const capture = useAnswer(
    'GET /api/apps/:appId/captures/:captureId',
    { appId: app.id, captureId },
    { everyMs: readEveryMs },
  );
  const { value } = capture;
  const open = value?.captures.find(({ id }) => id === captureId);
  return (
    <section className={`pane ${styles.view}`} aria-label="Rendered">
      <p className={styles.back}>
        <Link className="btn small" to={buildPath(app.id, 'sandbox')} search={search} onGo={onBack}>
          Back to the list
        </Link>
      </p>
      {!value && <Waiting loaded={capture} reload={capture.reload} what="the capture" />}
      {value && open && (
        <>
          <AwayBar loaded={capture} reload={capture.reload} />
          <ViewHead group={value} open={open} isOpen={isOpen} onGone={onGone} />
          <ViewTabs group={value} open={open} />
        </>
      )}
    </section>
  );
}

function ViewHead({
  group,
  open,
  isOpen,
  onGone,
}: {
  group: CaptureAnswer;
  open: Capture;
  isOpen: boolean;
  onGone: () => void;
}) {
  const app = useApp();
  const { event, version, requestId, captures } = group;
  const channels = new Set(captures.map(({ channel }) => channel)).size;
  return (
    <div className="d-head">
      <div className="line">
        <PaneHeading isShown={isOpen}>{event?.name ?? 'Request deleted'}</PaneHeading>
        {event && version && (
          <Link
            className="tag mono"
            to={buildPath(app.id, 'events', event.id)}
            search={versionSearch(version.id)}
            title="Version of this message"
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
          Sensitive event: its content is not kept. To see it, use an app where the event is not
          sensitive.
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
    const answer = await api.call('DELETE /api/apps/:appId/captures/:captureId', {
      appId: app.id,
      captureId: capture.id,
    });
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

/** The tab is part of the URL, so that a link opens it. */
function ViewTabs({ group, open }: { group: CaptureAnswer; open: Capture }) {
  const [params, setParams] = useSearchParams();
  const [theme, setTheme] = useState<'light' | 'dark'>('light');
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
    setParams({ ...Object.fromEntries(params), tab: id }, { replace: true });
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
      <div role="tabpanel" aria-labelledby={`tab-${tab}`} className={styles.content}>
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

/** The newest attempt of each message, unless an older one is open. */
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

/** The source of the rendered content. */
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
        <p className="dim">This message has no text.</p>
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
        Request to {capture.provider}, without credentials. Outcome of attempt {capture.attempt}:{' '}
        {capture.outcome}.
      </p>
      <JsonBlock title={typeof operation === 'string' ? operation : 'Request'} value={body} />
    </div>
  );
}

function Raw({ group, open }: ViewProps) {
  return (
    <div className="pad">
      <JsonBlock title={`${open.channel} content`} value={open.content} />
      <JsonBlock title="Call data" value={group.data} />
      <JsonBlock title="Notes" value={open.notes} />
    </div>
  );
}

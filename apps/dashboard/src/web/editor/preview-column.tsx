import { useState } from 'react';
import type { ChannelPreview } from '../../api/preview';
import { useSession } from '../context';
import { JsonBlock } from '../parts/code';
import { Segments } from '../parts/controls';
import { NoteBox, ProblemNote } from '../parts/notes';
import { PreviewFigure } from '../previews/preview-figure';
import { PreviewFrame } from '../previews/preview-frame';
import { ThemeSegments } from '../previews/theme-segments';
import styles from './editor.module.css';
import { describeProblem } from './field-labels';
import type { Draft } from './use-draft';
import type { Sample } from './use-sample';

export function PreviewColumn({
  sample,
  channel,
  draft,
}: {
  sample: Sample;
  channel: string;
  draft: Draft;
}) {
  const [scope, setScope] = useState<'one' | 'all'>('one');
  const [theme, setTheme] = useState<'light' | 'dark'>('light');
  const isAll = scope === 'all' || channel === 'settings';
  const previews = sample.rendered.filter((one) => isAll || one.channel === channel);
  const scopes = [
    { value: 'one', text: channel === 'settings' ? 'one' : channel },
    { value: 'all', text: 'All channels' },
  ] as const;
  return (
    <section className={`pane ${styles.preview}`} aria-label="Preview">
      <div className="bar">
        <b>Preview</b>
        <Segments
          label="Channels to preview"
          options={channel === 'settings' ? scopes.slice(1) : scopes}
          value={isAll ? 'all' : 'one'}
          onChange={setScope}
        />
        <span className="grow" />
        <ThemeSegments value={theme} onChange={setTheme} />
      </div>
      <div className="stage">
        <ProblemNote problem={sample.problem} />
        {Object.keys(draft.definition.channels).length === 0 && (
          <p className={`nothing ${styles.noPreview}`}>Add a channel to see a preview.</p>
        )}
        {previews.map((one) => (
          <OnePreview key={one.channel} preview={one} isDark={theme === 'dark'} hasRaw={!isAll} />
        ))}
      </div>
    </section>
  );
}

function OnePreview({
  preview,
  isDark,
  hasRaw,
}: {
  preview: ChannelPreview;
  isDark: boolean;
  hasRaw: boolean;
}) {
  if (preview.state !== 'rendered') return <NotRendered preview={preview} />;
  const { channel, content, notes, missing, request, target } = preview;
  return (
    <div className="shot-and-raw">
      <PreviewFrame
        channel={channel}
        content={content}
        notes={notes}
        request={request}
        target={target}
        isDark={isDark}
        hasControls={hasRaw}
      />
      {notes['language'] !== undefined && (
        <NoteBox tone="amber">Language: {notes['language']}.</NoteBox>
      )}
      {missing.length > 0 && (
        <NoteBox tone="amber">
          Missing in the data: {missing.join(', ')}.{' '}
          {missing.length === 1 ? 'It renders' : 'They render'} as empty.
        </NoteBox>
      )}
      {hasRaw && request && (
        <JsonBlock title={`Provider request: ${request.operation}`} value={request.body} />
      )}
    </div>
  );
}

function NotRendered({ preview }: { preview: Exclude<ChannelPreview, { state: 'rendered' }> }) {
  const { registry } = useSession();
  const message =
    preview.state === 'failed'
      ? preview.detail
      : preview.problems.map((one) => describeProblem(registry, preview.channel, one)).join(' ');
  return (
    <PreviewFigure channel={preview.channel}>
      <NoteBox
        tone="amber"
        title={
          preview.state === 'failed'
            ? `The message would fail: ${preview.reason}`
            : 'No preview yet'
        }
      >
        {message}
      </NoteBox>
    </PreviewFigure>
  );
}

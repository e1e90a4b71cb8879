import { useState } from 'react';
import type { MessageChannelRow, RequestAnswer } from '../../api/requests';
import { JsonBlock } from '../parts/code';
import { PreviewFrame } from '../previews/preview-frame';
import { ThemeSegments } from '../previews/theme-segments';

export function RenderedTab({ request }: { request: RequestAnswer }) {
  const [theme, setTheme] = useState<'light' | 'dark'>('light');
  const renderedMessages = request.channelRows.filter(
    (channelRow): channelRow is MessageChannelRow =>
      channelRow.kind === 'message' && channelRow.rendered !== null,
  );
  if (renderedMessages.length === 0) {
    return <p className="nothing">Nothing is rendered yet, or the content was deleted.</p>;
  }
  return (
    <>
      <div className="bar">
        <span className="grow faint small">Rendered for the latest attempt</span>
        <ThemeSegments value={theme} onChange={setTheme} />
      </div>
      <div className={renderedMessages.length === 1 ? 'gallery of-one' : 'gallery'}>
        {renderedMessages.map(({ messageId, channel, target, rendered, notes }) => (
          <div key={messageId} className="shot-and-raw">
            <PreviewFrame
              channel={channel}
              content={rendered}
              notes={notes}
              target={target}
              aside={target}
              isDark={theme === 'dark'}
              hasControls
            />
            <details>
              <summary>As JSON</summary>
              <JsonBlock title={`${channel} content`} value={rendered} />
            </details>
          </div>
        ))}
      </div>
    </>
  );
}

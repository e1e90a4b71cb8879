import { useState } from 'react';
import type { MessageLane, RequestAnswer } from '../../api/requests';
import { JsonBlock } from '../parts/code';
import { Shot } from '../previews/shot';
import { ThemeSegments } from '../previews/theme-segments';

export function RenderedTab({ request }: { request: RequestAnswer }) {
  const [theme, setTheme] = useState<'light' | 'dark'>('light');
  const kept = request.lanes.filter(
    (lane): lane is MessageLane => lane.kind === 'message' && lane.rendered !== null,
  );
  if (kept.length === 0) {
    return (
      <p className="nothing">
        Nothing rendered is kept: no message was tried yet, or its content was dropped.
      </p>
    );
  }
  return (
    <>
      <div className="bar">
        <span className="grow faint small">as it was composed for the newest attempt</span>
        <ThemeSegments value={theme} onChange={setTheme} />
      </div>
      <div className={kept.length === 1 ? 'gallery of-one' : 'gallery'}>
        {kept.map(({ messageId, channel, target, rendered, notes }) => (
          <div key={messageId} className="shot-and-raw">
            <Shot
              channel={channel}
              content={rendered}
              notes={notes}
              target={target}
              aside={target}
              isDark={theme === 'dark'}
              hasTools
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

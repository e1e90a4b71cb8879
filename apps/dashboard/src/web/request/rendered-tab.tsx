import type { MessageLane, RequestAnswer } from '../../api/requests';
import { JsonBlock } from '../parts/code';
import { Shot } from '../previews/shot';

export function RenderedTab({ request }: { request: RequestAnswer }) {
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
    <div className="stage wide">
      {kept.map(({ messageId, channel, target, rendered }) => (
        <div key={messageId} className="shot-and-raw">
          <Shot channel={channel} content={rendered} aside={target} />
          <details>
            <summary>As JSON</summary>
            <JsonBlock title={`${channel} content`} value={rendered} />
          </details>
        </div>
      ))}
    </div>
  );
}

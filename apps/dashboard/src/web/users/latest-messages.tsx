import type { UserAnswer, UserMessage } from '../../api/users';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { moment } from '../format';
import { Link } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { AwayBar, Waiting } from '../parts/notes';
import { State } from '../parts/state-mark';
import { ExplanationText } from '../request/explanation-text';
import { buildPath } from '../route';

const readAgainMs = 5_000;

/** The newest messages on each channel, with the reason of each state. */
export function LatestMessages({ user: { sid } }: { user: UserAnswer }) {
  const app = useApp();
  const latest = useAnswer(
    'GET /api/apps/:appId/users/:userSid/messages',
    { appId: app.id, userSid: sid },
    { everyMs: readAgainMs },
  );
  if (!latest.value)
    return <Waiting loaded={latest} reload={latest.reload} what="the latest messages" />;
  const { channels, readAt } = latest.value;
  return (
    <section aria-label="Latest messages by channel">
      <AwayBar loaded={latest} reload={latest.reload} />
      {channels.length === 0 && (
        <p className="nothing">No request names this user or an address of theirs.</p>
      )}
      {channels.length > 0 && (
        <table className="wide-rows">
          <thead>
            <tr>
              <th className="c-channel">Channel</th>
              <th className="c-when">Accepted</th>
              <th>Latest messages</th>
            </tr>
          </thead>
          <tbody>
            {channels.flatMap(({ channel, messages }) =>
              messages.map((message) => (
                <MessageRow
                  key={`${channel} ${message.requestId} ${message.item} ${message.messageId}`}
                  channel={channel}
                  message={message}
                  readAt={readAt}
                />
              )),
            )}
          </tbody>
        </table>
      )}
    </section>
  );
}

function MessageRow({
  channel,
  message,
  readAt,
}: {
  channel: string;
  message: UserMessage;
  readAt: number;
}) {
  const app = useApp();
  const { requestId, item, event, acceptedAt, target, state, reason, explanation } = message;
  return (
    <tr>
      <td>
        <span className="state">
          <Icon name={channelIcon(channel)} size={14} /> {channel}
        </span>
      </td>
      <td className="num-left">{moment(acceptedAt, readAt)}</td>
      <td className="explained-row">
        <State name={state}>
          {state} {reason && <code>{reason}</code>}
        </State>{' '}
        <Link to={buildPath(app.id, 'log', requestId)}>
          {event}
          {item > 0 && `, item ${item + 1}`}
        </Link>
        {target && <span className="mono faint cut"> {target}</span>}
        <ExplanationText explanation={explanation} />
      </td>
    </tr>
  );
}

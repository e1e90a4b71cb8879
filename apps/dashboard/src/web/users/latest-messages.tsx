import { toItemNumber } from '@belfry/shared';
import type { UserAnswer, UserMessage } from '../../api/users';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { Link } from '../parts/controls';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { AwayBar, Waiting } from '../parts/notes';
import stacked from '../parts/stacked-rows.module.css';
import { State } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import { ExplanationText } from '../request/explanation-text';
import { buildPath } from '../route';
import { channelColumn } from './channel-column';
import styles from './users.module.css';

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
  const { channels } = latest.value;
  const rows = channels.flatMap(({ channel, messages }) =>
    messages.map((message) => ({ channel, message })),
  );
  return (
    <section aria-label="Latest messages by channel">
      <AwayBar loaded={latest} reload={latest.reload} />
      {channels.length === 0 && (
        <p className="nothing">No request names this user or one of their addresses.</p>
      )}
      {channels.length > 0 && (
        <Table
          caption="Latest messages by channel"
          className={`wide-rows ${stacked.rows}`}
          columns={columns}
          rows={rows}
          getKey={({ channel, message: { requestId, item, messageId } }) =>
            `${channel} ${requestId} ${item} ${messageId}`
          }
        />
      )}
    </section>
  );
}

type Row = { channel: string; message: UserMessage };

const columns: Column<Row>[] = [
  channelColumn,
  {
    header: 'Accepted',
    className: 'c-when num-left',
    cell: ({ message }) => <Moment at={message.acceptedAt} />,
  },
  {
    header: 'Latest messages',
    className: `${styles.explained} ${stacked.line}`,
    cell: ({ message }) => <ExplainedMessage message={message} />,
  },
];

function ExplainedMessage({ message }: { message: UserMessage }) {
  const app = useApp();
  const { requestId, item, event, target, state, reason, explanation } = message;
  return (
    <>
      <State name={state}>
        {state} {reason && <code>{reason}</code>}
      </State>{' '}
      <Link to={buildPath(app.id, 'log', requestId)}>
        <Name text={event} />
        {item > 0 && `, item ${toItemNumber(item)}`}
      </Link>
      {target && <span className="mono faint"> {target}</span>}
      <ExplanationText explanation={explanation} />
    </>
  );
}

import type { Ref } from 'react';
import type { CaptureSummary } from '../../api/captures';
import { useApp, useSession } from '../context';
import { count, plural } from '../format';
import { Button, Link } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { ProblemNote } from '../parts/notes';
import { Mark } from '../parts/state-mark';
import { toPlainText } from '../previews/plain-text';
import { buildPath } from '../route';
import { groupCaptures } from './capture-groups';
import styles from './sandbox.module.css';
import type { Captures } from './use-captures';

/** Captured messages, grouped by request. */
export function CaptureList({
  ref,
  captures,
  currentId,
  search,
}: {
  ref: Ref<HTMLElement>;
  captures: Captures;
  currentId: string | undefined;
  search: string;
}) {
  const { registry } = useSession();
  const channels = registry.channels.map(({ channel }) => channel);
  const groups = groupCaptures(captures.visible, channels);
  return (
    <section ref={ref} className={`pane ${styles.list}`} aria-label="Captured messages">
      {captures.pending > 0 && (
        <button type="button" className="tail" onClick={captures.showPending}>
          <Icon name="up" size={13} />
          {count(captures.pending)} new
          <kbd data-keys="n" />
        </button>
      )}
      {groups.map(({ key, event, capturedAt, rows }) => (
        <section key={key}>
          <h2 className={styles.group}>
            <code>
              <Name text={event} />
            </code>
            <small>{plural(new Set(rows.map(({ channel }) => channel)).size, 'channel')}</small>
            <span>
              <Moment at={capturedAt} />
            </span>
          </h2>
          {rows.map((row) => (
            <CaptureListRow
              key={row.id}
              row={row}
              isCurrent={row.id === currentId}
              search={search}
            />
          ))}
        </section>
      ))}
      <ProblemNote problem={captures.problem} />
      {captures.next !== null && (
        <div className="more">
          <Button look="small" onClick={() => void captures.readOlder()}>
            Show older captures
          </Button>
        </div>
      )}
      <p className="vh" role="status">
        {captures.pending > 0 ? `Show ${plural(captures.pending, 'new capture')}` : ''}
      </p>
    </section>
  );
}

const outcomeMarks: Record<string, string> = {
  rejected: 'failed',
  retry: 'retry',
  unknown: 'unknown',
};

function CaptureListRow({
  row,
  isCurrent,
  search,
}: {
  row: CaptureSummary;
  isCurrent: boolean;
  search: string;
}) {
  const app = useApp();
  const { channel, target, attempt, outcome, capturedAt } = row;
  const mark = outcomeMarks[outcome];
  return (
    <div data-row={row.id} className={isCurrent ? `${styles.row} ${styles.current}` : styles.row}>
      <Icon name={channelIcon(channel)} size={15} />
      <b className="cut">
        <Link
          to={buildPath(app.id, 'sandbox', row.id)}
          search={search}
          title={`${channel} to ${target}`}
          isCurrent={isCurrent}
        >
          <span className="vh">{channel} to </span>
          <Name text={target} />
        </Link>
      </b>
      <span className="num">
        <Moment at={capturedAt} />
      </span>
      <p className="cut">
        {mark && (
          <span className={`state s-${mark}`}>
            <Mark name={mark} size={12} /> {outcome}
          </span>
        )}
        {attempt > 1 && <span className="tag">attempt {attempt}</span>}{' '}
        {toPlainText(channel, row.line) || 'no text'}
      </p>
    </div>
  );
}

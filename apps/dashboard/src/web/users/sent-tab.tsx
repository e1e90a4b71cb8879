import { useSearchParams } from 'react-router';
import type { UserAnswer } from '../../api/users';
import { useApp } from '../context';
import { LogTable } from '../log/log-table';
import { useLogList } from '../log/use-log-list';
import { Link } from '../parts/controls';
import { Icon } from '../parts/icons';
import { AwayBar } from '../parts/notes';
import { buildPath } from '../route';
import { showAddress } from './address-table';

/** Log rows of calls that name the user, or of messages to one of their addresses. */
export function SentTab({ user }: { user: UserAnswer }) {
  const app = useApp();
  const [params, setParams] = useSearchParams();
  const labels = new Map([[user.userId, `user ${user.userId}`]]);
  for (const { channel, address } of user.addresses) {
    if (address && !labels.has(address)) labels.set(address, showAddress(channel, address));
  }
  const options = [...labels.keys()];
  const recipient = options.find((one) => one === params.get('to')) ?? user.userId;
  const list = useLogList({ appId: app.id, filters: { recipient }, isPaused: false });
  const inLog = new URLSearchParams({ recipient }).toString();
  const label = labels.get(recipient) ?? recipient;
  const otherwise = options.length > 1 ? ' Choose another address above.' : '';
  function choose(next: string) {
    setParams({ ...Object.fromEntries(params), to: next }, { replace: true });
  }
  return (
    <>
      <div className="bar">
        <label className="chip set">
          to <b className="cut">{label}</b>
          <Icon name="down" size={12} />
          <select
            aria-label="Sent to"
            value={recipient}
            onChange={(event) => choose(event.target.value)}
          >
            {options.map((one) => (
              <option key={one} value={one}>
                {labels.get(one)}
              </option>
            ))}
          </select>
        </label>
        <span className="grow" />
        <Link to={buildPath(app.id, 'log')} search={inLog}>
          Open in the log
        </Link>
      </div>
      <AwayBar loaded={list} reload={list.reload} />
      <LogTable
        list={list}
        openId={undefined}
        search={inLog}
        emptyText={`No request to ${label}.${otherwise}`}
      />
    </>
  );
}

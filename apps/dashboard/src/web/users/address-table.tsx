import { useState } from 'react';
import type { SuppressionRow, UserAddress, UserAnswer } from '../../api/users';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { moment } from '../format';
import { Button } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { ProblemNote } from '../parts/notes';
import { Mark } from '../parts/state-mark';
import { SuppressDialog } from './suppress-dialog';

/** The address of each channel, and whether it is suppressed. */
export function AddressTable({
  user,
  onChanged,
}: {
  user: UserAnswer;
  onChanged: () => Promise<void>;
}) {
  const { mayChange } = useSession();
  const app = useApp();
  const { api } = useServices();
  const [suppressed, setSuppressed] = useState<UserAddress>();
  const [problem, setProblem] = useState<PageProblem>();
  async function allow(row: SuppressionRow) {
    const answer = await api.call('DELETE /api/apps/:appId/suppressions/:id', {
      appId: app.id,
      id: row.id,
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    await onChanged();
  }
  return (
    <section aria-label="Addresses">
      {problem && (
        <div className="pad">
          <ProblemNote problem={problem} />
        </div>
      )}
      <table className="wide-rows">
        <thead>
          <tr>
            <th className="c-channel">Channel</th>
            <th>Address</th>
            <th className="c-acts">
              <span className="vh">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {user.addresses.map((one) => (
            <AddressRow
              key={`${one.channel} ${one.address}`}
              userAddress={one}
              rows={user.suppressions.filter((row) => isForAddress(row, one))}
              isOff={isOff(user, one)}
              mayChange={mayChange}
              onSuppress={() => setSuppressed(one)}
              onAllow={(row) => void allow(row)}
            />
          ))}
        </tbody>
      </table>
      {suppressed?.address && (
        <SuppressDialog
          channel={suppressed.channel}
          address={suppressed.address}
          onClose={() => setSuppressed(undefined)}
          onDone={onChanged}
        />
      )}
    </section>
  );
}

function isOff({ preferences }: UserAnswer, { channel, address }: UserAddress): boolean {
  const { isAllOff, channelsOff } = preferences;
  return address !== null && (isAllOff || channelsOff.includes(channel));
}

function isForAddress(row: SuppressionRow, { channel, address }: UserAddress): boolean {
  return row.channel === channel && row.address === address;
}

function AddressRow({
  userAddress,
  rows,
  isOff: isSwitchedOff,
  mayChange,
  onSuppress,
  onAllow,
}: {
  userAddress: UserAddress;
  rows: SuppressionRow[];
  isOff: boolean;
  mayChange: boolean;
  onSuppress: () => void;
  onAllow: (row: SuppressionRow) => void;
}) {
  const { channel, address, note, obstacle } = userAddress;
  const isForAll = rows.some(({ sender }) => sender === null);
  return (
    <tr className={address === null ? 'faint' : undefined}>
      <td>
        <span className="state">
          <Icon name={channelIcon(channel)} size={14} /> {channel}
        </span>
      </td>
      <td className="stacked" title={address ?? note ?? undefined}>
        {address === null ? note : <span className="mono">{address}</span>}
        {isSwitchedOff && (
          <small className="why">
            <Mark name="skipped" size={12} />
            <span>opted out by the user</span>
          </small>
        )}
        {obstacle && (rows.length === 0 || obstacle.reason !== 'suppressed') && (
          <small className="why">
            <Mark name="skipped" size={12} />
            <span>
              {obstacle.what} {obstacle.remedy}
            </span>
          </small>
        )}
        {rows.map((row) => (
          <SuppressedNote key={row.id} row={row} />
        ))}
      </td>
      <td className="right">
        {mayChange && (
          <span className="row-acts">
            {rows.map((row) => (
              <Button
                key={row.id}
                look="small"
                aria-label={`Allow ${channel} to ${row.address}`}
                onClick={() => onAllow(row)}
              >
                Allow
              </Button>
            ))}
            {address !== null && !isForAll && (
              <Button
                look="small"
                aria-label={`Suppress ${channel} to ${address}`}
                onClick={onSuppress}
              >
                Suppress
              </Button>
            )}
          </span>
        )}
      </td>
    </tr>
  );
}

const reasonLabels: Record<string, string> = {
  bounced: 'bounced',
  opted_out: 'opted out',
  manual: 'suppressed',
};

function SuppressedNote({ row }: { row: SuppressionRow }) {
  return (
    <small className="why">
      <Mark name="skipped" size={12} />
      <span>
        {reasonLabels[row.reason] ?? row.reason}
        {` for ${row.sender ?? 'every sender'}`}, {moment(row.at, Date.now())}
        {`, by ${row.addedBy ?? 'the provider'}`}
        {row.detail && `: ${row.detail}`}
      </span>
    </small>
  );
}

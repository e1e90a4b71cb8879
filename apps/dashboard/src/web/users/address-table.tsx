import { formatSuppressedSender, formatSuppressor, maskEndpoint } from '@belfry/shared';
import { useState } from 'react';
import type { SuppressionRow } from '../../api/suppressions';
import type { UserAddress, UserAnswer } from '../../api/users';
import { useSession } from '../context';
import { convertDates } from '../dates';
import { Button } from '../parts/controls';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import stacked from '../parts/stacked-rows.module.css';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import { AllowDialog } from './allow-dialog';
import { channelColumn } from './channel-column';
import { isChannelOff } from './preferences';
import { SuppressDialog } from './suppress-dialog';
import styles from './users.module.css';

type Row = UserAddress & { suppressions: SuppressionRow[]; isOff: boolean };

/** The address of each channel, and whether it is suppressed. */
export function AddressTable({
  user,
  onChanged,
}: {
  user: UserAnswer;
  onChanged: () => Promise<void>;
}) {
  const { mayChange } = useSession();
  const [suppressed, setSuppressed] = useState<UserAddress>();
  const [allowed, setAllowed] = useState<SuppressionRow>();
  const rows = user.addresses.map((one) => ({
    ...one,
    suppressions: user.suppressions.filter((row) => isForAddress(row, one)),
    isOff: isOff(user, one),
  }));
  const actions: Column<Row> = {
    header: 'Actions',
    isHeaderHidden: true,
    className: `c-acts right ${stacked.line}`,
    cell: (row) =>
      mayChange && <Actions row={row} onSuppress={() => setSuppressed(row)} onAllow={setAllowed} />,
  };
  return (
    <section aria-label="Addresses">
      <Table
        caption="Addresses"
        className={`wide-rows ${stacked.rows}`}
        columns={[...columns, actions]}
        rows={rows}
        getKey={({ channel, address }) => `${channel} ${address}`}
        getRowClass={({ address }) => (address === null ? 'faint' : undefined)}
      />
      {allowed && (
        <AllowDialog row={allowed} onClose={() => setAllowed(undefined)} onDone={onChanged} />
      )}
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

/** For optional events without a category. */
function isOff({ preferences }: UserAnswer, { channel, address }: UserAddress): boolean {
  return address !== null && isChannelOff(preferences, channel);
}

function isForAddress(row: SuppressionRow, { channel, address }: UserAddress): boolean {
  return row.channel === channel && row.address === address;
}

/** The endpoint of a web push subscription is a capability URL. */
export function showAddress(channel: string, address: string): string {
  return channel === 'push' ? maskEndpoint(address) : address;
}

const columns: Column<Row>[] = [
  channelColumn,
  {
    header: 'Address',
    className: `${styles.stacked} ${stacked.line}`,
    title: ({ channel, address, note }) =>
      address === null ? note : showAddress(channel, address),
    cell: (row) => <Address row={row} />,
  },
];

function Address({ row }: { row: Row }) {
  const { channel, address, note, obstacle, suppressions } = row;
  return (
    <>
      {address === null ? (
        note
      ) : (
        <span className="mono">
          <Name text={showAddress(channel, address)} />
        </span>
      )}
      {row.isOff && (
        <small className={styles.note}>
          <Mark name="skipped" size={12} />
          <span>opted out by the user</span>
        </small>
      )}
      {obstacle && (suppressions.length === 0 || obstacle.reason !== 'suppressed') && (
        <small className={styles.note}>
          <Mark name="skipped" size={12} />
          <span>
            {convertDates(obstacle.what)} {obstacle.remedy}
          </span>
        </small>
      )}
      {suppressions.map((suppression) => (
        <SuppressedNote key={suppression.id} row={suppression} />
      ))}
    </>
  );
}

function Actions({
  row: { channel, address, suppressions },
  onSuppress,
  onAllow,
}: {
  row: Row;
  onSuppress: () => void;
  onAllow: (suppression: SuppressionRow) => void;
}) {
  const isForAll = suppressions.some(({ sender }) => sender === null);
  // An empty cell takes no line on a phone.
  if (address === null && suppressions.length === 0) return null;
  return (
    <span className="row-acts">
      {suppressions.map((suppression) => (
        <Button
          key={suppression.id}
          look="small"
          aria-label={`Allow ${channel} to ${suppression.address}`}
          onClick={() => onAllow(suppression)}
        >
          Allow
        </Button>
      ))}
      {address !== null && !isForAll && (
        <Button look="small" aria-label={`Suppress ${channel} to ${address}`} onClick={onSuppress}>
          Suppress
        </Button>
      )}
    </span>
  );
}

const reasonLabels: Record<string, string> = {
  bounced: 'bounced',
  opted_out: 'opted out',
  complained: 'reported as spam',
  manual: 'suppressed',
};

function SuppressedNote({ row }: { row: SuppressionRow }) {
  return (
    <small className={styles.note}>
      <Mark name="skipped" size={12} />
      <span>
        {reasonLabels[row.reason] ?? row.reason}
        {` for ${formatSuppressedSender(row.sender)}, `}
        {row.scope === 'optional' && 'optional events only, '}
        <Moment at={row.at} />
        {`, by ${formatSuppressor(row.source, row.addedBy)}`}
        {row.detail && `: ${row.detail}`}
      </span>
    </small>
  );
}

import type { UserDevice } from '../../api/users';
import { Moment } from '../parts/moment';
import stacked from '../parts/stacked-rows.module.css';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import styles from './users.module.css';

export function DeviceTable({ devices }: { devices: UserDevice[] }) {
  return (
    <section aria-label="Devices">
      <Table
        caption="Devices"
        className={`wide-rows ${stacked.rows}`}
        columns={columns}
        rows={devices}
        getKey={({ sid }) => sid}
        empty="No devices. An app registers a device when the user signs in on it."
      />
    </section>
  );
}

const columns: Column<UserDevice>[] = [
  {
    header: 'Device',
    className: `ev ${stacked.line}`,
    title: ({ token, sid }) => token ?? sid,
    cell: ({ clientId, sid }) => clientId ?? sid,
  },
  { header: 'Platform', className: styles.channel, cell: ({ platform }) => platform },
  {
    header: 'Push',
    className: styles.stacked,
    title: ({ disabledReason }) => disabledReason,
    cell: (device) => <PushState device={device} />,
  },
  {
    header: 'Updated',
    className: 'num c-when opt',
    cell: ({ updatedAt }) => (
      <span data-label="updated">
        <Moment at={updatedAt} />
      </span>
    ),
  },
];

function PushState({ device }: { device: UserDevice }) {
  if (device.isDisabled) {
    return (
      <>
        <Mark name="skipped" />{' '}
        {device.disabledReason
          ? `disabled: the provider answered ${device.disabledReason}`
          : 'disabled by its app'}
      </>
    );
  }
  return (
    <span className="state">
      <Mark name={device.token || device.onesignalPlayerId ? 'delivered' : 'none'} />
      {describeToken(device)}
    </span>
  );
}

function describeToken({ token, isWebPush, onesignalPlayerId }: UserDevice): string {
  if (isWebPush) return 'on, web push';
  if (token) return 'on, FCM';
  return onesignalPlayerId ? 'OneSignal only' : 'no push token';
}

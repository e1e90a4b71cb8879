import type { UserDevice } from '../../api/users';
import { moment } from '../format';
import { Mark } from '../parts/state-mark';

export function DeviceTable({ devices }: { devices: UserDevice[] }) {
  const now = Date.now();
  return (
    <section aria-label="Devices">
      {devices.length === 0 ? (
        <p className="nothing">
          No devices. An app registers a device when the user signs in on it.
        </p>
      ) : (
        <table className="wide-rows">
          <thead>
            <tr>
              <th>Device</th>
              <th className="c-channel">Platform</th>
              <th>Push</th>
              <th className="num c-when opt">Updated</th>
            </tr>
          </thead>
          <tbody>
            {devices.map((device) => (
              <tr key={device.sid}>
                <td className="ev" title={device.token ?? device.sid}>
                  {device.clientId ?? device.sid}
                </td>
                <td>{device.platform ?? ''}</td>
                <td className="stacked" title={device.disabledReason ?? undefined}>
                  <PushState device={device} />
                </td>
                <td className="num opt">{moment(device.updatedAt, now)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

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

function describeToken({ token, onesignalPlayerId }: UserDevice): string {
  if (token) return 'on';
  return onesignalPlayerId ? 'OneSignal only' : 'no push token';
}

import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { UserAnswer } from '../../api/users';
import { useAnswer } from '../answers';
import { useApp, useSession } from '../context';
import { formatFull } from '../dates';
import { Button, CopyButton, Tabs } from '../parts/controls';
import { Name } from '../parts/name';
import { AwayBar, Waiting } from '../parts/notes';
import { CloseButton, PaneHeading } from '../parts/pane';
import { AddressTable } from './address-table';
import { DeviceTable } from './device-table';
import { EraseDialog } from './erase-dialog';
import { LatestMessages } from './latest-messages';
import { formatPreferences } from './preferences';
import { PreferencesDialog } from './preferences-dialog';
import { SentTab } from './sent-tab';
import styles from './users.module.css';

const readEveryMs = 15_000;

/** The stored data of one user, and their messages. */
export function UserPane({ sid, onClose }: { sid: string; onClose: () => void }) {
  const app = useApp();
  const user = useAnswer(
    'GET /api/apps/:appId/users/:userSid',
    { appId: app.id, userSid: sid },
    { everyMs: readEveryMs },
  );
  const [params, setParams] = useSearchParams();
  const tab = params.get('tab') === 'sent' ? 'sent' : 'record';
  function show(next: string) {
    const nextParams = new URLSearchParams(params);
    nextParams.delete('to');
    if (next === 'sent') nextParams.set('tab', next);
    else nextParams.delete('tab');
    setParams(nextParams, { replace: true });
  }
  return (
    <section className={`pane ${styles.user}`} aria-label="User">
      {user.value && <AwayBar loaded={user} reload={user.reload} />}
      <div className="bar">
        {user.value && (
          <>
            <PaneHeading className={`mono ${styles.id}`}>
              <Name text={user.value.userId} />
            </PaneHeading>
            <CopyButton text={user.value.userId} label="Copy user ID" look="small bare icon" />
          </>
        )}
        <span className="grow" />
        <CloseButton label="Close" onClose={onClose} />
      </div>
      {!user.value && <Waiting loaded={user} reload={user.reload} what="the user" />}
      {user.value && (
        <>
          <Tabs
            label="User"
            current={tab}
            onChange={show}
            tabs={[
              { id: 'record', content: 'Profile' },
              { id: 'sent', content: 'Messages' },
            ]}
          />
          {tab === 'record' ? (
            <Record user={user.value} reload={user.reload} />
          ) : (
            <SentTab user={user.value} />
          )}
        </>
      )}
    </section>
  );
}

function Record({ user, reload }: { user: UserAnswer; reload: () => Promise<void> }) {
  const { mayChange } = useSession();
  const [dialog, setDialog] = useState<'erase' | 'preferences'>();
  const close = () => setDialog(undefined);
  const { locale } = user.preferences;
  return (
    <>
      <div className="pad">
        <dl className={`facts-list ${styles.facts}`}>
          {Object.entries(user.contact).map(([name, value]) => (
            <Fact key={name} name={name} value={value} />
          ))}
          <dt>language</dt>
          <dd>{locale ?? <span className="faint">none; the event’s default is used</span>}</dd>
          <dt>preferences</dt>
          <dd>
            <span>{formatPreferences(user.preferences)}</span>{' '}
            {mayChange && (
              <Button look="small" onClick={() => setDialog('preferences')}>
                Change preferences
              </Button>
            )}
          </dd>
          <dt>user_sid</dt>
          <dd className="mono">{user.sid}</dd>
          <dt>created</dt>
          <dd>
            {formatFull(user.createdAt)}
            <span className="faint">, updated {formatFull(user.updatedAt)}</span>
          </dd>
        </dl>
      </div>
      <AddressTable user={user} onChanged={reload} />
      <LatestMessages user={user} />
      <DeviceTable devices={user.devices} />
      {mayChange && (
        <div className="foot">
          <span className="faint small grow">
            Deletes the user, and the addresses and content of their messages.
          </span>
          <Button look="danger" onClick={() => setDialog('erase')}>
            Erase user
          </Button>
        </div>
      )}
      {dialog === 'erase' && <EraseDialog user={user} onClose={close} />}
      {dialog === 'preferences' && (
        <PreferencesDialog user={user} onClose={close} onDone={reload} />
      )}
    </>
  );
}

function Fact({ name, value }: { name: string; value: unknown }) {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).map(([member, inner]) => (
      <Fact key={member} name={`${name}.${member}`} value={inner} />
    ));
  }
  return (
    <>
      <dt>{name}</dt>
      <dd className="mono">
        <Name text={String(value)} />
      </dd>
    </>
  );
}

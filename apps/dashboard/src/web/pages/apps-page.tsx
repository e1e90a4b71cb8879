import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { AppAnswer } from '../../api/apps';
import { GoLiveDialog } from '../apps/go-live-dialog';
import { InboxSecretsDialog } from '../apps/inbox-secrets-dialog';
import { useServices, useSession } from '../context';
import { AppSettingFields, getSettings } from '../parts/app-setting-fields';
import { ConfirmNameDialog } from '../parts/confirm-name-dialog';
import { Button, CopyButton, Link } from '../parts/controls';
import { TextField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { PageHead } from '../parts/page-head';
import stacked from '../parts/stacked-rows.module.css';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import { useForm } from '../parts/use-form';
import { buildPath } from '../route';
import styles from './apps-page.module.css';

type DoingKind = 'change' | 'go-live' | 'secrets' | 'remove';
type Doing = { kind: 'create' } | { kind: DoingKind; app: AppAnswer };

export function AppsPage() {
  const { apps, mayChange } = useSession();
  const [doing, setDoing] = useState<Doing>();
  return (
    <div className="pane">
      <PageHead
        action={
          mayChange && (
            <Button look="main-action" onClick={() => setDoing({ kind: 'create' })}>
              Create app
            </Button>
          )
        }
      >
        An app has its own events, integrations, users and log. With sandbox delivery every message
        is captured; with live delivery messages reach people.
      </PageHead>
      <AppTable apps={apps} mayChange={mayChange} onDo={setDoing} />
      {(doing?.kind === 'create' || doing?.kind === 'change') && (
        <AppDialog
          app={doing.kind === 'change' ? doing.app : undefined}
          onClose={() => setDoing(undefined)}
        />
      )}
      {doing?.kind === 'go-live' && (
        <GoLiveDialog app={doing.app} onClose={() => setDoing(undefined)} />
      )}
      {doing?.kind === 'secrets' && (
        <InboxSecretsDialog app={doing.app} onClose={() => setDoing(undefined)} />
      )}
      {doing?.kind === 'remove' && (
        <RemoveAppDialog app={doing.app} onClose={() => setDoing(undefined)} />
      )}
    </div>
  );
}

function AppTable({
  apps,
  mayChange,
  onDo,
}: {
  apps: AppAnswer[];
  mayChange: boolean;
  onDo: (doing: Doing) => void;
}) {
  const columns: Column<AppAnswer>[] = [
    {
      header: 'App',
      className: stacked.line,
      sortBy: ({ name }) => name,
      cell: (app) => (
        <Link to={buildPath(app.id, 'log')}>
          <Name text={app.name} />
        </Link>
      ),
    },
    {
      header: 'ID',
      className: `${styles.id} ev ${stacked.line}`,
      cell: (app) => <AppId app={app} />,
    },
    {
      header: 'Delivery',
      className: `c-state ${styles.delivery}`,
      sortBy: ({ delivery }) => delivery,
      cell: ({ delivery }) => (
        <span className="state">
          <Mark name="dot" tone={delivery === 'live' ? 's-delivered' : 's-attention'} />
          {delivery}
        </span>
      ),
    },
    {
      header: 'Created',
      className: 'num opt',
      sortBy: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => (
        <span data-label="created">
          <Moment at={createdAt} />
        </span>
      ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      className: `c-acts four right ${stacked.line}`,
      cell: (app) => mayChange && <AppActs app={app} onDo={onDo} />,
    },
  ];
  return (
    <Table
      caption="Apps"
      className={`wide-rows ${stacked.rows}`}
      columns={columns}
      rows={apps}
      getKey={({ id }) => id}
      empty="No apps yet. The path of every call contains the ID of an app."
    />
  );
}

function AppId({ app: { id, name } }: { app: AppAnswer }) {
  return (
    <span className="id-cell">
      <span className="cut" title={id}>
        {id}
      </span>
      <CopyButton text={id} label={`Copy the ID of ${name}`} look="small bare icon" />
    </span>
  );
}

function AppActs({ app, onDo }: { app: AppAnswer; onDo: (doing: Doing) => void }) {
  const { isOwner } = useSession();
  return (
    <span className="row-acts">
      {app.delivery === 'sandbox' && (
        <Button look="small" onClick={() => onDo({ kind: 'go-live', app })}>
          Go live
        </Button>
      )}
      <Button look="small" onClick={() => onDo({ kind: 'change', app })}>
        Change
      </Button>
      <Button look="small" onClick={() => onDo({ kind: 'secrets', app })}>
        Inbox secrets
      </Button>
      {isOwner && (
        <Button look="small" onClick={() => onDo({ kind: 'remove', app })}>
          Remove
        </Button>
      )}
    </span>
  );
}

function AppDialog({ app, onClose }: { app: AppAnswer | undefined; onClose: () => void }) {
  const { api } = useServices();
  const navigate = useNavigate();
  const { reloadApps } = useSession();
  const form = useForm({ ...getSettings(app), name: app?.name ?? '' });
  const onSubmit = form.submit(
    (body) =>
      app
        ? api.call('PATCH /api/apps/:appId', { appId: app.id, body: form.pickChanged(body) })
        : api.call('POST /api/apps', { body }),
    async ({ id }) => {
      await reloadApps();
      onClose();
      if (!app) void navigate(buildPath(id, 'log'));
    },
  );
  return (
    <FormDialog
      title={app ? `Change ${app.name}` : 'Create app'}
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action={app ? 'Save' : 'Create app'}
      unsaved={app ? app.name : 'the new app'}
      leastChanges={app ? 1 : 2}
    >
      <TextField name="name" label="Name" required="Enter a name." />
      <AppSettingFields hasDelivery={app?.delivery === 'live'} />
    </FormDialog>
  );
}

function RemoveAppDialog({ app, onClose }: { app: AppAnswer; onClose: () => void }) {
  const { api } = useServices();
  const { reloadApps } = useSession();
  return (
    <ConfirmNameDialog
      title={`Remove ${app.name}`}
      label="App name"
      name={app.name}
      action="Remove app"
      send={(confirmName) =>
        api.call('DELETE /api/apps/:appId', { appId: app.id, body: { confirmName } })
      }
      onDone={async () => {
        await reloadApps();
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        Calls to this app get 404 at once. Its events and integrations are deleted. Enter the name
        of the app to confirm.
      </p>
    </ConfirmNameDialog>
  );
}

import { type FormEvent, useState } from 'react';
import type { AppAnswer } from '../../api/apps';
import type { PageProblem } from '../api';
import { GoLiveDialog } from '../apps/go-live-dialog';
import { useServices, useSession } from '../context';
import { moment } from '../format';
import { AppSettingFields, getSettings } from '../parts/app-setting-fields';
import { Button, CopyButton, Link } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Field } from '../parts/field';
import { ProblemNote } from '../parts/notes';
import { PageHead } from '../parts/page-head';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';
import '../page-styles';

type Doing = { kind: 'create' } | { kind: 'change' | 'go-live' | 'remove'; app: AppAnswer };

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
      sortBy: ({ name }) => name,
      cell: (app) => <Link to={buildPath(app.id, 'log')}>{app.name}</Link>,
    },
    { header: 'ID', className: 'c-id ev', cell: (app) => <AppId app={app} /> },
    {
      header: 'Delivery',
      className: 'c-state',
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
      cell: ({ createdAt }) => moment(createdAt, Date.now()),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      className: 'right',
      cell: (app) => mayChange && <AppActs app={app} onDo={onDo} />,
    },
  ];
  return (
    <Table
      caption="Apps"
      columns={columns}
      rows={apps}
      getKey={({ id }) => id}
      empty="No apps yet. Callers use the ID of an app in every path."
    />
  );
}

function AppId({ app: { id, name } }: { app: AppAnswer }) {
  return (
    <span className="id-cell">
      <span className="cut">{id}</span>
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
      {isOwner && (
        <Button look="small" onClick={() => onDo({ kind: 'remove', app })}>
          Remove
        </Button>
      )}
    </span>
  );
}

function AppDialog({ app, onClose }: { app: AppAnswer | undefined; onClose: () => void }) {
  const { api, navigation } = useServices();
  const { reloadApps } = useSession();
  const [name, setName] = useState(app?.name ?? '');
  const [settings, setSettings] = useState(() => getSettings(app));
  const [problem, setProblem] = useState<PageProblem>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    const body = { ...settings, name };
    const answer = await (app
      ? api.call('PATCH /api/apps/:appId', { appId: app.id, body })
      : api.call('POST /api/apps', { body }));
    if ('problem' in answer) return setProblem(answer.problem);
    await reloadApps();
    onClose();
    if (!app) navigation.go(buildPath(answer.value.id, 'log'));
  }
  const problemAt = (field: string) => problem?.fields?.find(({ path }) => path === field)?.problem;
  const fieldProblem = problemAt('name') ?? problemAt('defaultRegion');
  return (
    <Dialog title={app ? `Change ${app.name}` : 'Create app'} onClose={onClose}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        {!fieldProblem && <ProblemNote problem={problem} />}
        <Field
          label="Name"
          required
          value={name}
          problem={problemAt('name')}
          onChange={(event) => setName(event.target.value)}
        />
        <AppSettingFields
          settings={settings}
          hasDelivery={app?.delivery === 'live'}
          onChange={setSettings}
          problemAt={problemAt}
        />
        <div className="dialog-foot">
          <Button look="main-action" type="submit">
            {app ? 'Save' : 'Create app'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

function RemoveAppDialog({ app, onClose }: { app: AppAnswer; onClose: () => void }) {
  const { api } = useServices();
  const { reloadApps } = useSession();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    const answer = await api.call('DELETE /api/apps/:appId', {
      appId: app.id,
      body: { confirmName: typed },
    });
    if ('problem' in answer) return setProblem(answer.problem);
    await reloadApps();
    onClose();
  }
  return (
    <Dialog title={`Remove ${app.name}`} onClose={onClose}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <p>
          Calls of this app get 404 at once. Its events and integrations are deleted. Enter the name
          of the app to confirm.
        </p>
        <ProblemNote problem={problem} />
        <Field
          label="App name"
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="dialog-foot">
          <Button look="danger" type="submit" disabled={typed !== app.name}>
            Remove app
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

import { type FormEvent, useState } from 'react';
import type { AppAnswer, GoingLiveItem } from '../../api/apps';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useServices, useSession } from '../context';
import { Button, Link } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Field } from '../parts/field';
import { NoteBox, ProblemNote, Waiting } from '../parts/notes';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import { buildPath } from '../route';

/** The checklist for live delivery; the name of the app confirms it. */
export function GoLiveDialog({ app, onClose }: { app: AppAnswer; onClose: () => void }) {
  const { api } = useServices();
  const { reloadApps } = useSession();
  const list = useAnswer('GET /api/apps/:appId/going-live', { appId: app.id });
  const [confirmName, setConfirmName] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    const body = { delivery: 'live', confirmName } as const;
    const answer = await api.call('PATCH /api/apps/:appId', { appId: app.id, body });
    if ('problem' in answer) return setProblem(answer.problem);
    await reloadApps();
    onClose();
  }
  return (
    <Dialog title={`Go live with ${app.name}`} onClose={onClose} isWide>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <p>With live delivery, every new message reaches a person through its integration.</p>
        {list.value ? (
          <Checklist appId={app.id} items={list.value.items} onGo={onClose} />
        ) : (
          <Waiting loaded={list} reload={list.reload} what="the checklist" />
        )}
        <ProblemNote problem={problem} />
        <Field
          label={`Enter ${app.name} to confirm`}
          value={confirmName}
          autoComplete="off"
          onChange={(event) => setConfirmName(event.target.value)}
        />
        <div className="dialog-foot">
          <Button look="danger" type="submit" disabled={confirmName !== app.name}>
            Go live
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

const marks = {
  ok: { name: 'delivered', text: 'ok' },
  warning: { name: 'attention', text: 'warning' },
  missing: { name: 'failed', text: 'missing' },
} as const;

function Checklist({
  appId,
  items,
  onGo,
}: {
  appId: string;
  items: GoingLiveItem[];
  onGo: () => void;
}) {
  const missing = items.filter(({ status }) => status === 'missing').length;
  const columns: Column<GoingLiveItem>[] = [
    {
      header: 'Status',
      cell: ({ status }) => (
        <span className="state">
          <Mark name={marks[status].name} /> {marks[status].text}
        </span>
      ),
    },
    {
      header: 'Item',
      isRowHeader: true,
      cell: ({ title, fix }) =>
        fix ? (
          <Link to={getPath(appId, fix)} onGo={onGo}>
            {title}
          </Link>
        ) : (
          title
        ),
    },
    { header: 'Result', cell: ({ text }) => text },
  ];
  return (
    <>
      {missing > 0 && (
        <NoteBox
          tone="amber"
          title={missing === 1 ? '1 thing is missing' : `${missing} are missing`}
        >
          Messages that need it will fail.
        </NoteBox>
      )}
      <Table caption="Checklist" columns={columns} rows={items} getKey={({ title }) => title} />
    </>
  );
}

function getPath(appId: string, { page, id }: NonNullable<GoingLiveItem['fix']>): string {
  if (page === 'keys' || page === 'apps') return page;
  return buildPath(appId, page, id ?? undefined);
}

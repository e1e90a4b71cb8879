import type { AppAnswer, GoingLiveItem } from '../../api/apps';
import { useAnswer } from '../answers';
import { useServices, useSession } from '../context';
import { ConfirmNameDialog } from '../parts/confirm-name-dialog';
import { Link } from '../parts/controls';
import { Name } from '../parts/name';
import { NoteBox, Waiting } from '../parts/notes';
import stacked from '../parts/stacked-rows.module.css';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import { type AbsolutePath, buildPath } from '../route';
import styles from './go-live-dialog.module.css';

/** The checklist for live delivery; the name of the app confirms it. */
export function GoLiveDialog({ app, onClose }: { app: AppAnswer; onClose: () => void }) {
  const { api } = useServices();
  const { reloadApps } = useSession();
  const list = useAnswer('GET /api/apps/:appId/going-live', { appId: app.id });
  return (
    <ConfirmNameDialog
      title={`Go live with ${app.name}`}
      label={`Enter ${app.name} to confirm`}
      name={app.name}
      action="Go live"
      isWide
      send={(confirmName) =>
        api.call('PATCH /api/apps/:appId', {
          appId: app.id,
          body: { delivery: 'live', confirmName },
        })
      }
      onDone={async () => {
        await reloadApps();
        onClose();
      }}
      onClose={onClose}
    >
      <p>With live delivery, every new message reaches a person through its integration.</p>
      {list.value ? (
        <Checklist appId={app.id} items={list.value.items} onGo={onClose} />
      ) : (
        <Waiting loaded={list} reload={list.reload} what="the checklist" />
      )}
    </ConfirmNameDialog>
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
      className: stacked.text,
      isRowHeader: true,
      cell: ({ title, fix }) =>
        fix ? (
          <Link to={getPath(appId, fix)} onGo={onGo}>
            <Name text={title} />
          </Link>
        ) : (
          title
        ),
    },
    { header: 'Result', className: `${styles.result} ${stacked.line}`, cell: ({ text }) => text },
  ];
  return (
    <>
      {missing > 0 && (
        <NoteBox
          tone="amber"
          title={missing === 1 ? '1 item is missing' : `${missing} items are missing`}
        >
          Messages that need {missing === 1 ? 'it' : 'them'} are not sent.
        </NoteBox>
      )}
      <Table
        caption="Checklist"
        className={`wide-rows ${stacked.rows}`}
        columns={columns}
        rows={items}
        getKey={({ title }) => title}
      />
    </>
  );
}

function getPath(appId: string, { page, id }: NonNullable<GoingLiveItem['fix']>): AbsolutePath {
  if (page === 'keys' || page === 'apps') return `/${page}`;
  return buildPath(appId, page, id ?? undefined);
}

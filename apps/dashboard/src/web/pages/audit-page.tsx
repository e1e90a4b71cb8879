import { useState } from 'react';
import type { AuditRow } from '../../api/audit';
import { useAnswer } from '../answers';
import { useServices, useSession } from '../context';
import { moment } from '../format';
import { toText } from '../parts/code';
import { Button } from '../parts/controls';
import { AwayBar, Waiting } from '../parts/notes';

export function AuditPage() {
  const { api } = useServices();
  const first = useAnswer('GET /api/audit');
  const [older, setOlder] = useState<AuditRow[]>([]);
  const [olderNext, setOlderNext] = useState<string | null>();
  const next = olderNext === undefined ? (first.value?.next ?? null) : olderNext;
  async function readOlder() {
    if (!next) return;
    const answer = await api.call('GET /api/audit', { query: { before: next } });
    if ('problem' in answer) return;
    setOlder([...older, ...answer.value.entries]);
    setOlderNext(answer.value.next);
  }
  const entries = [...(first.value?.entries ?? []), ...older];
  return (
    <div className="pane">
      <AwayBar loaded={first} reload={first.reload} />
      {!first.value && <Waiting loaded={first} reload={first.reload} what="entries" />}
      {first.value && <AuditTable entries={entries} />}
      {first.value && entries.length === 0 && <p className="nothing">No changes yet.</p>}
      {next && (
        <div className="more">
          <Button look="small" onClick={() => void readOlder()}>
            Show older entries
          </Button>
        </div>
      )}
    </div>
  );
}

function AuditTable({ entries }: { entries: AuditRow[] }) {
  const { apps } = useSession();
  const appName = (id: string | null) => apps.find((app) => app.id === id)?.name ?? '';
  return (
    <table className="wide-rows">
      <thead>
        <tr>
          <th className="c-when">Time</th>
          <th>Operator</th>
          <th>Action</th>
          <th>Object</th>
          <th className="opt">App</th>
          <th className="opt">Change</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td className="num-left">{moment(entry.at, Date.now())}</td>
            <td>{entry.operator ?? 'the command line'}</td>
            <td className="ev">{entry.action}</td>
            <td className="ev" title={entry.subject}>
              {entry.subject}
            </td>
            <td className="opt">{appName(entry.appId)}</td>
            <td className="ev opt" title={toText(entry.change)}>
              {entry.change === null ? '' : JSON.stringify(entry.change)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

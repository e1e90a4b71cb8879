import { useState } from 'react';
import type { EventAnswer, VersionRow } from '../../api/events';
import type { PageProblem } from '../api';
import { useAnswer, useApp, useDesk, useTools } from '../context';
import { moment } from '../format';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { ProblemNote, Waiting } from '../parts/notes';
import { changesOf } from './definition';
import type { Draft } from './use-draft';

export function HistoryDialog({
  event,
  draft,
  onEvent,
  onClose,
}: {
  event: EventAnswer;
  draft: Draft;
  onEvent: (event: EventAnswer) => void;
  onClose: () => void;
}) {
  const app = useApp();
  const { api } = useTools();
  const [problem, setProblem] = useState<PageProblem>();
  const list = useAnswer(`versions ${event.id}`, (ask) => ask.listVersions(app.id, event.id));
  async function restore(version: VersionRow) {
    const answer = await api.restoreVersion(app.id, event.id, version.id, draft.saved.revision);
    if ('problem' in answer) setProblem(answer.problem);
    else onEvent(answer.value);
  }
  async function discard() {
    const answer = await api.discardDraft(app.id, event.id, draft.saved.revision);
    if ('problem' in answer) setProblem(answer.problem);
    else onEvent(answer.value);
  }
  return (
    <Dialog title={`History of ${event.name}`} onClose={onClose} isWide>
      <ProblemNote problem={problem} />
      {!list.value && <Waiting loaded={list} reload={list.reload} what="versions" />}
      <ul className="versions">
        {list.value?.versions.map((version) => (
          <VersionLine
            key={version.id}
            version={version}
            event={event}
            draft={draft}
            onRestore={() => void restore(version)}
          />
        ))}
      </ul>
      {list.value?.versions.length === 0 && <p className="faint">Nothing was published yet.</p>}
      <div className="dialog-foot">
        {event.live && (
          <Button onClick={() => void discard()}>
            Drop the draft, back to v{event.liveNumber}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function VersionLine({
  version,
  event,
  draft,
  onRestore,
}: {
  version: VersionRow;
  event: EventAnswer;
  draft: Draft;
  onRestore: () => void;
}) {
  const app = useApp();
  const { api } = useTools();
  const { mayChange } = useDesk();
  const [changes, setChanges] = useState<string[]>();
  async function compare() {
    const answer = await api.readVersion(app.id, event.id, version.id);
    if ('value' in answer) setChanges(changesOf(answer.value.definition, draft.definition));
  }
  return (
    <li>
      <div className="line">
        <span className="tag mono">v{version.number}</span>
        {version.isLive && <span className="tag on">live</span>}
        <span className="grow small">
          {moment(version.createdAt, Date.now())} {version.createdBy && `by ${version.createdBy}`}
          {version.note && <span className="dim">. {version.note}</span>}
        </span>
        <Button look="small" onClick={() => void compare()}>
          Compare
        </Button>
        {mayChange && (
          <Button look="small" onClick={onRestore}>
            Make it the draft
          </Button>
        )}
      </div>
      {changes && (
        <p className="small dim">
          {changes.length === 0
            ? 'The draft says the same.'
            : `The draft differs in ${changes.join(', ')}.`}
        </p>
      )}
    </li>
  );
}

import { type FormEvent, useRef, useState } from 'react';
import type { SavedFilterAnswer, SavedFilterListAnswer } from '../../api/saved-filters';
import type { Answer, PageProblem } from '../api';
import { useApp, useTools } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Field } from '../parts/field';
import { underName } from '../parts/name-dialog';
import { ProblemNote, Waiting } from '../parts/notes';
import { maxNameLength, useSavedFilters, wordsOfFilters } from './saved-filters';

type Doing = { kind: 'rename' | 'delete'; id: string };

/** Every saved filter of the log: renamed or deleted for all who use it. */
export function SavedFiltersDialog({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const list = useSavedFilters(app.id);
  const lines = useRef<HTMLDivElement>(null);
  const [doing, setDoing] = useState<Doing>();
  const [problem, setProblem] = useState<PageProblem>();
  const begin = (next: Doing | undefined) => {
    setProblem(undefined);
    setDoing(next);
  };
  async function finish(asked: Promise<Answer<SavedFilterListAnswer>>) {
    const answer = await asked;
    if ('problem' in answer) return setProblem(answer.problem);
    list.set(answer.value);
    begin(undefined);
    // What had the focus goes, and with it the keys of the dialog.
    lines.current?.focus();
  }
  const all = list.value?.filters ?? [];
  return (
    <Dialog title="Saved filters" onClose={onClose} isWide>
      <div ref={lines} tabIndex={-1} className="saved-filters">
        {!underName(problem) && <ProblemNote problem={problem} />}
        {!list.value && <Waiting loaded={list} reload={list.reload} what="filters" />}
        {list.value && all.length === 0 && (
          <p className="faint">None yet: filter the log, then save what it is filtered by.</p>
        )}
        <ul>
          {all.map((filter) => (
            <li key={filter.id}>
              <FilterLine
                filter={filter}
                doing={doing?.id === filter.id ? doing.kind : undefined}
                problem={problem}
                onBegin={(kind) => begin(kind && { kind, id: filter.id })}
                onFinish={(asked) => void finish(asked)}
              />
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

type LineProps = {
  filter: SavedFilterAnswer;
  doing: Doing['kind'] | undefined;
  problem: PageProblem | undefined;
  onBegin: (kind: Doing['kind'] | undefined) => void;
  onFinish: (asked: Promise<Answer<SavedFilterListAnswer>>) => void;
};

function FilterLine(props: LineProps) {
  const { filter, doing, onBegin } = props;
  if (doing === 'rename') return <RenameForm {...props} />;
  return (
    <div className="line">
      <span className="grow">
        <b>{filter.name}</b>
        <small title={filter.savedBy ?? undefined}>{wordsOfFilters(filter.filters)}</small>
      </span>
      {doing === 'delete' ? (
        <DeleteActs {...props} />
      ) : (
        <>
          <Button
            look="small"
            aria-label={`Rename ${filter.name}`}
            onClick={() => onBegin('rename')}
          >
            Rename
          </Button>
          <Button
            look="small"
            aria-label={`Delete ${filter.name}`}
            onClick={() => onBegin('delete')}
          >
            Delete
          </Button>
        </>
      )}
    </div>
  );
}

function DeleteActs({ filter, onBegin, onFinish }: LineProps) {
  const app = useApp();
  const { api } = useTools();
  return (
    <span className="line" ref={focusFirst}>
      <Button
        look="small danger"
        onClick={() => onFinish(api.removeSavedFilter(app.id, filter.id))}
      >
        Delete for everybody
      </Button>
      <Button look="small" onClick={() => onBegin(undefined)}>
        Keep it
      </Button>
    </span>
  );
}

function RenameForm({ filter, problem, onBegin, onFinish }: LineProps) {
  const app = useApp();
  const { api } = useTools();
  const [name, setName] = useState(filter.name);
  function submit(event: FormEvent) {
    event.preventDefault();
    onFinish(api.changeSavedFilter(app.id, filter.id, { name }));
  }
  return (
    <form className="inline-form" ref={focusFirst} onSubmit={submit}>
      <Field
        label="Name"
        required
        maxLength={maxNameLength}
        value={name}
        problem={underName(problem)}
        onChange={(event) => setName(event.target.value)}
      />
      <Button look="main-action" type="submit">
        Rename
      </Button>
      <Button onClick={() => onBegin(undefined)}>Keep the name</Button>
    </form>
  );
}

/** What was asked for took the place of the button that had the focus. */
function focusFirst(place: HTMLElement | null) {
  place?.querySelector<HTMLElement>('input, button')?.focus();
}

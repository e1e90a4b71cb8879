import { type FormEvent, useRef, useState } from 'react';
import type { SavedFilterAnswer, SavedFilterListAnswer } from '../../api/saved-filters';
import type { PageProblem, Result } from '../api';
import { useApp, useServices } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Field } from '../parts/field';
import { underName } from '../parts/name-dialog';
import { ProblemNote, Waiting } from '../parts/notes';
import { formatFilters, maxNameLength, useSavedFilters } from './saved-filters';

type RowAction = { kind: 'rename' | 'delete'; id: string };

/** Renames and deletes saved filters for all operators. */
export function SavedFiltersDialog({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const list = useSavedFilters(app.id);
  const container = useRef<HTMLDivElement>(null);
  const [action, setAction] = useState<RowAction>();
  const [problem, setProblem] = useState<PageProblem>();
  const begin = (next: RowAction | undefined) => {
    setProblem(undefined);
    setAction(next);
  };
  async function finish(request: Promise<Result<SavedFilterListAnswer>>) {
    const answer = await request;
    if ('problem' in answer) return setProblem(answer.problem);
    list.set(answer.value);
    begin(undefined);
    // The focused element disappears, so move the focus back into the dialog.
    container.current?.focus();
  }
  const all = list.value?.filters ?? [];
  return (
    <Dialog title="Saved filters" onClose={onClose} isWide>
      <div ref={container} tabIndex={-1} className="saved-filters">
        {!underName(problem) && <ProblemNote problem={problem} />}
        {!list.value && <Waiting loaded={list} reload={list.reload} what="filters" />}
        {list.value && all.length === 0 && (
          <p className="faint">No saved filters yet. Filter the log, then save the filter.</p>
        )}
        <ul>
          {all.map((filter) => (
            <li key={filter.id}>
              <FilterRow
                filter={filter}
                action={action?.id === filter.id ? action.kind : undefined}
                problem={problem}
                onBegin={(kind) => begin(kind && { kind, id: filter.id })}
                onFinish={(request) => void finish(request)}
              />
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

type FilterRowProps = {
  filter: SavedFilterAnswer;
  action: RowAction['kind'] | undefined;
  problem: PageProblem | undefined;
  onBegin: (kind: RowAction['kind'] | undefined) => void;
  onFinish: (request: Promise<Result<SavedFilterListAnswer>>) => void;
};

function FilterRow(props: FilterRowProps) {
  const { filter, action, onBegin } = props;
  if (action === 'rename') return <RenameForm {...props} />;
  return (
    <div className="line">
      <span className="grow">
        <b>{filter.name}</b>
        <small title={filter.savedBy ?? undefined}>{formatFilters(filter.filters)}</small>
      </span>
      {action === 'delete' ? (
        <DeleteActions {...props} />
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

function DeleteActions({ filter, onBegin, onFinish }: FilterRowProps) {
  const app = useApp();
  const { api } = useServices();
  return (
    <span className="line" ref={focusFirst}>
      <Button
        look="small danger"
        onClick={() =>
          onFinish(
            api.call('DELETE /api/apps/:appId/filters/:id', { appId: app.id, id: filter.id }),
          )
        }
      >
        Delete for everyone
      </Button>
      <Button look="small" onClick={() => onBegin(undefined)}>
        Cancel
      </Button>
    </span>
  );
}

function RenameForm({ filter, problem, onBegin, onFinish }: FilterRowProps) {
  const app = useApp();
  const { api } = useServices();
  const [name, setName] = useState(filter.name);
  function submit(event: FormEvent) {
    event.preventDefault();
    const input = { appId: app.id, id: filter.id, body: { name } };
    onFinish(api.call('PATCH /api/apps/:appId/filters/:id', input));
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
      <Button onClick={() => onBegin(undefined)}>Cancel</Button>
    </form>
  );
}

/** The prompt replaced the focused button, so focus its first control. */
function focusFirst(element: HTMLElement | null) {
  element?.querySelector<HTMLElement>('input, button')?.focus();
}

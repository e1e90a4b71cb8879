import { useRef, useState } from 'react';
import type { SavedFilterAnswer, SavedFilterListAnswer } from '../../api/saved-filters';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Form, TextField } from '../parts/form';
import { ProblemNote, Waiting } from '../parts/notes';
import { useForm } from '../parts/use-form';
import { formatFilters, maxNameLength, useSavedFilters } from './saved-filters';
import styles from './saved-filters.module.css';

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
  function finish(filters: SavedFilterListAnswer) {
    list.set(filters);
    begin(undefined);
    // The focused element disappears, so move the focus back into the dialog.
    container.current?.focus();
  }
  const all = list.value?.filters ?? [];
  return (
    <Dialog title="Saved filters" onClose={onClose} isWide>
      <div ref={container} tabIndex={-1} className={styles.list}>
        <ProblemNote problem={problem} />
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
                onBegin={(kind) => begin(kind && { kind, id: filter.id })}
                onProblem={setProblem}
                onFinish={finish}
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
  onBegin: (kind: RowAction['kind'] | undefined) => void;
  onProblem: (problem: PageProblem) => void;
  onFinish: (filters: SavedFilterListAnswer) => void;
};

function FilterRow(props: FilterRowProps) {
  const { filter, action, onBegin } = props;
  if (action === 'rename') return <RenameForm {...props} />;
  return (
    <div className={styles.row}>
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

function DeleteActions({ filter, onBegin, onProblem, onFinish }: FilterRowProps) {
  const app = useApp();
  const { api } = useServices();
  async function remove() {
    const answer = await api.call('DELETE /api/apps/:appId/filters/:id', {
      appId: app.id,
      id: filter.id,
    });
    if ('problem' in answer) onProblem(answer.problem);
    else onFinish(answer.value);
  }
  return (
    <span className={styles.row} ref={focusFirst}>
      <Button look="small danger" onClick={() => void remove()}>
        Delete for everyone
      </Button>
      <Button look="small" onClick={() => onBegin(undefined)}>
        Cancel
      </Button>
    </span>
  );
}

function RenameForm({ filter, onBegin, onFinish }: FilterRowProps) {
  const app = useApp();
  const { api } = useServices();
  const form = useForm({ name: filter.name });
  const rename = form.submit(
    (body) =>
      api.call('PATCH /api/apps/:appId/filters/:id', { appId: app.id, id: filter.id, body }),
    onFinish,
  );
  return (
    <div ref={focusFirst}>
      <Form form={form} className="inline-form" onSubmit={rename}>
        <TextField name="name" label="Name" required="Enter a name." maxLength={maxNameLength} />
        <Button look="main-action" type="submit">
          Rename
        </Button>
        <Button onClick={() => onBegin(undefined)}>Cancel</Button>
      </Form>
    </div>
  );
}

/** The prompt replaced the focused button, so focus its first control. */
function focusFirst(element: HTMLElement | null) {
  element?.querySelector<HTMLElement>('input, button')?.focus();
}

import { useLayoutEffect, useRef, useState } from 'react';
import type { CategoryAnswer, CategoryListAnswer } from '../../api/categories';
import type { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Form, TextField } from '../parts/form';
import { ProblemNote, Waiting } from '../parts/notes';
import { useAskBeforeClose } from '../parts/unsaved';
import { type Form as FormHandle, useForm } from '../parts/use-form';
import { CategoryDialog } from './category-dialog';
import styles from './editor.module.css';

type CategoryList = ReturnType<typeof useAnswer<'GET /api/apps/:appId/categories'>>;

type DialogProps = {
  list: CategoryList;
  /** The language of a new category's name. */
  locale: string;
  onClose: () => void;
};

/** Creates, edits, sorts and deletes the categories of the app. */
export function CategoriesDialog({ list, locale, onClose }: DialogProps) {
  const [problem, setProblem] = useState<PageProblem>();
  const [edited, setEdited] = useState<CategoryAnswer>();
  const form = useForm(noCategory);
  const closing = useAskBeforeClose(form, { what: 'the new category', leastChanges: 2, onClose });
  function finish(value: CategoryListAnswer) {
    list.set(value);
    setProblem(undefined);
  }
  /** Another operator may have changed the list meanwhile. */
  function fail(next: PageProblem) {
    setProblem(next);
    void list.reload();
  }
  function closeEdited() {
    setEdited(undefined);
    void list.reload();
  }
  return (
    <Dialog title="Categories" onClose={closing.close} isWide>
      <ProblemNote problem={problem} />
      {!list.value && <Waiting loaded={list} reload={list.reload} what="categories" />}
      {list.value && (
        <Rows
          categories={list.value.categories}
          onEdit={setEdited}
          onProblem={fail}
          onFinish={finish}
        />
      )}
      <CreateCategory form={form} locale={locale} onFinish={finish} />
      {edited && <CategoryDialog category={edited} onClose={closeEdited} onFinish={finish} />}
      {closing.question}
    </Dialog>
  );
}

type RowsProps = {
  categories: readonly CategoryAnswer[];
  onEdit: (category: CategoryAnswer) => void;
  onProblem: (problem: PageProblem) => void;
  onFinish: (list: CategoryListAnswer) => void;
};

function Rows({ categories, onEdit, onProblem, onFinish }: RowsProps) {
  const app = useApp();
  const { api } = useServices();
  const { move, status, rows } = useMove({ categories, onProblem, onFinish });
  async function remove(slug: string) {
    const input = { appId: app.id, slug };
    const answer = await api.call('DELETE /api/apps/:appId/categories/:slug', input);
    if ('problem' in answer) onProblem(answer.problem);
    else onFinish(answer.value);
  }
  if (categories.length === 0) {
    return <p className="faint">No categories yet. A category is what users can switch off.</p>;
  }
  return (
    <>
      <ul className={styles.categories} ref={rows}>
        {categories.map((category, index) => (
          <CategoryRow
            key={category.slug}
            category={category}
            isFirst={index === 0}
            isLast={index === categories.length - 1}
            onMove={(by) => void move(category, by)}
            onEdit={() => onEdit(category)}
            onRemove={() => void remove(category.slug)}
          />
        ))}
      </ul>
      <p className="vh" role="status">
        {status}
      </p>
    </>
  );
}

/** Moves a category one place, and keeps the focus on its buttons, which move too. */
function useMove({ categories, onProblem, onFinish }: Omit<RowsProps, 'onEdit'>) {
  const app = useApp();
  const { api } = useServices();
  const rows = useRef<HTMLUListElement>(null);
  const [moved, setMoved] = useState<{ slug: string; by: Step; place: number }>();
  useLayoutEffect(() => {
    if (!moved) return;
    const [same, other] = [moved.by, moved.by === 'up' ? 'down' : 'up'].map((by) =>
      rows.current?.querySelector<HTMLElement>(`[data-move="${by} ${moved.slug}"]:enabled`),
    );
    (same ?? other)?.focus();
  }, [moved]);

  /** Two calls, unless positions have gaps or are the same. */
  async function savePositions(order: readonly CategoryAnswer[]): Promise<boolean> {
    const misplaced = order
      .map(({ slug, position }, index) => ({ slug, before: position, position: index + 1 }))
      .filter(({ before, position }) => before !== position);
    for (const { slug, position } of misplaced) {
      const input = { appId: app.id, slug, body: { position } };
      const answer = await api.call('PATCH /api/apps/:appId/categories/:slug', input);
      if ('problem' in answer) {
        onProblem(answer.problem);
        return false;
      }
      if (slug === misplaced.at(-1)?.slug) onFinish(answer.value);
    }
    return true;
  }

  async function move(category: CategoryAnswer, by: Step) {
    const order = categories.filter((one) => one !== category);
    const index = categories.indexOf(category) + (by === 'up' ? -1 : 1);
    const isSaved = await savePositions(order.toSpliced(index, 0, category));
    if (isSaved) setMoved({ slug: category.slug, by, place: index + 1 });
  }

  const status = moved && `${moved.slug} is number ${moved.place} of ${categories.length}.`;
  return { move, status, rows };
}

type Step = 'up' | 'down';

type RowProps = {
  category: CategoryAnswer;
  isFirst: boolean;
  isLast: boolean;
  onMove: (by: Step) => void;
  onEdit: () => void;
  onRemove: () => void;
};

function CategoryRow({ category, isFirst, isLast, onMove, onEdit, onRemove }: RowProps) {
  const { slug, texts } = category;
  return (
    <li>
      <span className="tag mono">{slug}</span>
      <span className="grow">
        {Object.entries(texts).map(([language, { name, description }]) => (
          <span key={language} title={description}>
            {name} <span className="faint small">{language}</span>{' '}
          </span>
        ))}
      </span>
      <span className="row-acts">
        <MoveButton slug={slug} by="up" disabled={isFirst} onMove={onMove} />
        <MoveButton slug={slug} by="down" disabled={isLast} onMove={onMove} />
        <Button look="small" aria-label={`Edit ${slug}`} onClick={onEdit}>
          Edit
        </Button>
        <Button look="small" aria-label={`Delete ${slug}`} onClick={onRemove}>
          Delete
        </Button>
      </span>
    </li>
  );
}

function MoveButton({
  slug,
  by,
  disabled,
  onMove,
}: {
  slug: string;
  by: Step;
  disabled: boolean;
  onMove: (by: Step) => void;
}) {
  return (
    <Button
      look="small icon"
      data-move={`${by} ${slug}`}
      aria-label={`Move ${slug} ${by}`}
      title={`Move ${by}`}
      disabled={disabled}
      onClick={() => onMove(by)}
    >
      {by === 'up' ? '↑' : '↓'}
    </Button>
  );
}

const noCategory = { slug: '', name: '', description: '' };

function CreateCategory({
  form,
  locale,
  onFinish,
}: Pick<DialogProps, 'locale'> &
  Pick<RowsProps, 'onFinish'> & { form: FormHandle<typeof noCategory> }) {
  const app = useApp();
  const { api } = useServices();
  const add = form.submit(
    ({ slug, name, description }) =>
      api.call('POST /api/apps/:appId/categories', {
        appId: app.id,
        body: { slug: slug.trim(), texts: { [locale]: { name, description } } },
      }),
    (list) => {
      onFinish(list);
      form.reset(noCategory);
    },
  );
  return (
    <Form form={form} onSubmit={add}>
      <TextField name="slug" label="Slug" required="Enter a slug such as news." maxLength={64} />
      <TextField name="name" label={`Name (${locale})`} required="Enter a name." maxLength={100} />
      <TextField name="description" label={`Description (${locale})`} maxLength={500} />
      <div className="dialog-foot">
        <Button look="main-action" type="submit">
          Create category
        </Button>
      </div>
    </Form>
  );
}

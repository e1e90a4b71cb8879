import { useState } from 'react';
import type { CategoryAnswer, CategoryListAnswer } from '../../api/categories';
import type { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Form, TextField } from '../parts/form';
import { ProblemNote, Waiting } from '../parts/notes';
import { useForm } from '../parts/use-form';
import styles from './editor.module.css';

type CategoryList = ReturnType<typeof useAnswer<'GET /api/apps/:appId/categories'>>;

type DialogProps = {
  list: CategoryList;
  /** The language of a new category's name. */
  locale: string;
  onClose: () => void;
};

/** Creates and deletes the categories of the app. */
export function CategoriesDialog({ list, locale, onClose }: DialogProps) {
  const [problem, setProblem] = useState<PageProblem>();
  function finish(value: CategoryListAnswer) {
    list.set(value);
    setProblem(undefined);
  }
  const all = list.value?.categories ?? [];
  return (
    <Dialog title="Categories" onClose={onClose} isWide>
      <ProblemNote problem={problem} />
      {!list.value && <Waiting loaded={list} reload={list.reload} what="categories" />}
      {list.value && all.length === 0 && (
        <p className="faint">No categories yet. A category is what users can switch off.</p>
      )}
      <ul className={styles.languages}>
        {all.map((category) => (
          <li key={category.slug}>
            <CategoryRow category={category} onProblem={setProblem} onFinish={finish} />
          </li>
        ))}
      </ul>
      <CreateCategory locale={locale} onFinish={finish} />
    </Dialog>
  );
}

type RowProps = {
  category: CategoryAnswer;
  onProblem: (problem: PageProblem) => void;
  onFinish: (list: CategoryListAnswer) => void;
};

function CategoryRow({ category: { slug, texts }, onProblem, onFinish }: RowProps) {
  const app = useApp();
  const { api } = useServices();
  async function remove() {
    const input = { appId: app.id, slug };
    const answer = await api.call('DELETE /api/apps/:appId/categories/:slug', input);
    if ('problem' in answer) onProblem(answer.problem);
    else onFinish(answer.value);
  }
  return (
    <>
      <span className="tag mono">{slug}</span>
      <span className="grow">
        {Object.entries(texts).map(([language, { name, description }]) => (
          <span key={language} title={description}>
            {name} <span className="faint small">{language}</span>{' '}
          </span>
        ))}
      </span>
      <Button look="small" aria-label={`Delete ${slug}`} onClick={() => void remove()}>
        Delete
      </Button>
    </>
  );
}

function CreateCategory({
  locale,
  onFinish,
}: Pick<DialogProps, 'locale'> & Pick<RowProps, 'onFinish'>) {
  const app = useApp();
  const { api } = useServices();
  const form = useForm({ slug: '', name: '', description: '' });
  const add = form.submit(
    ({ slug, name, description }) =>
      api.call('POST /api/apps/:appId/categories', {
        appId: app.id,
        body: { slug: slug.trim(), texts: { [locale]: { name, description } } },
      }),
    onFinish,
  );
  return (
    <Form form={form} onSubmit={add}>
      <TextField name="slug" label="Slug" required="Enter a slug such as news." maxLength={64} />
      <TextField name="name" label={`Name (${locale})`} required="Enter a name." maxLength={100} />
      <TextField name="description" label={`Description (${locale})`} maxLength={500} />
      <Button look="main-action" type="submit">
        Create category
      </Button>
    </Form>
  );
}

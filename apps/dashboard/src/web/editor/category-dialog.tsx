import type { CategoryAnswer, CategoryListAnswer } from '../../api/categories';
import { useApp, useServices } from '../context';
import { Button } from '../parts/controls';
import { Field } from '../parts/field';
import { useField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { useForm } from '../parts/use-form';
import { AddLanguage } from './add-language';
import styles from './editor.module.css';

type Texts = CategoryAnswer['texts'];

/** Changes the names and descriptions of a category. Its slug never changes. */
export function CategoryDialog({
  category: { slug, texts, updatedAt },
  onClose,
  onFinish,
}: {
  category: CategoryAnswer;
  onClose: () => void;
  onFinish: (list: CategoryListAnswer) => void;
}) {
  const app = useApp();
  const { api } = useServices();
  const form = useForm<{ texts: Texts }>({ texts });
  const onSubmit = form.submit(
    (body) =>
      api.call('PATCH /api/apps/:appId/categories/:slug', {
        appId: app.id,
        slug,
        body: { ...body, updatedAt },
      }),
    (list) => {
      onFinish(list);
      onClose();
    },
  );
  return (
    <FormDialog
      title={`Edit category ${slug}`}
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Save"
      isWide
      unsaved="the category"
    >
      <TextsField />
    </FormDialog>
  );
}

/** A name and a description in each language. */
function TextsField() {
  const { field, set, problem } = useField<Texts>('texts', 'Names', (texts) =>
    Object.values(texts).every(({ name }) => name.trim() !== '') ? undefined : 'Enter a name.',
  );
  const languages = Object.keys(field.value);
  const isMissingName = (language: string) => field.value[language]?.name.trim() === '';
  const isForNoName = problem !== undefined && !languages.some(isMissingName);
  return (
    <>
      {languages.map((language) => (
        <TextFields
          key={language}
          language={language}
          text={field.value[language] ?? emptyText}
          problem={isMissingName(language) ? problem : undefined}
          onChange={(text) => set({ ...field.value, [language]: text })}
          onRemove={
            languages.length > 1
              ? () => {
                  const { [language]: _, ...others } = field.value;
                  set(others);
                }
              : undefined
          }
        />
      ))}
      {isForNoName && (
        <p className="hint bad" role="alert">
          {problem}
        </p>
      )}
      <AddLanguage
        languages={languages}
        onAdd={(language) => set({ ...field.value, [language]: emptyText })}
      />
    </>
  );
}

const emptyText = { name: '', description: '' };

function TextFields({
  language,
  text,
  problem,
  onChange,
  onRemove,
}: {
  language: string;
  text: Texts[string];
  problem: string | undefined;
  onChange: (text: Texts[string]) => void;
  /** Undefined for the only language. */
  onRemove: (() => void) | undefined;
}) {
  return (
    <fieldset className={styles.categoryTexts}>
      <legend className="sect">{language}</legend>
      <Field
        label={`Name (${language})`}
        value={text.name}
        maxLength={100}
        problem={problem}
        onChange={({ target }) => onChange({ ...text, name: target.value })}
      />
      <Field
        label={`Description (${language})`}
        value={text.description}
        maxLength={500}
        onChange={({ target }) => onChange({ ...text, description: target.value })}
      />
      {onRemove && (
        <Button look="small" onClick={onRemove}>
          Remove {language}
        </Button>
      )}
    </fieldset>
  );
}

import { useState } from 'react';
import type { CategoryAnswer } from '../../api/categories';
import type { Definition } from '../../api/events';
import { useAnswer } from '../answers';
import { useApp, useSession } from '../context';
import { Button } from '../parts/controls';
import { SelectInput } from '../parts/field';
import { CategoriesDialog } from './categories-dialog';
import type { Draft } from './use-draft';

/** Whether users can switch the event off, and by which category. */
export function EventKind({ draft }: { draft: Draft }) {
  const app = useApp();
  const { mayChange } = useSession();
  const { definition } = draft;
  const list = useAnswer('GET /api/apps/:appId/categories', { appId: app.id });
  const [isManaging, setManaging] = useState(false);
  const categories = list.value?.categories ?? [];
  function manage() {
    void list.reload();
    setManaging(true);
  }
  return (
    <fieldset disabled={!mayChange}>
      <legend className="sect">Preferences of users</legend>
      <label className="check">
        <input
          type="checkbox"
          checked={definition.kind === 'mandatory'}
          onChange={({ target }) =>
            draft.set({ ...definition, kind: target.checked ? 'mandatory' : 'optional' })
          }
        />
        Mandatory, such as a password reset or a receipt: users cannot switch it off
      </label>
      <div className="inline-form">
        <SelectInput
          label="Category"
          value={definition.category ?? ''}
          onChange={({ target }) => draft.set(withCategory(definition, target.value))}
        >
          <option value="">None</option>
          {listOptions(categories, definition).map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </SelectInput>
        <Button onClick={manage}>Manage categories</Button>
      </div>
      {isManaging && (
        <CategoriesDialog
          list={list}
          locale={definition.defaultLocale}
          onClose={() => setManaging(false)}
        />
      )}
    </fieldset>
  );
}

function withCategory({ category: _, ...definition }: Definition, slug: string): Definition {
  return slug === '' ? definition : { ...definition, category: slug };
}

/** With the event's own category, if it was deleted: publishing reports it. */
function listOptions(
  categories: readonly CategoryAnswer[],
  { category: own, defaultLocale }: Definition,
) {
  const options = categories.map(({ slug, texts }) => {
    const text = texts[defaultLocale] ?? texts['en'] ?? Object.values(texts)[0];
    return { slug, name: text && text.name !== slug ? `${text.name} (${slug})` : slug };
  });
  const isListed = own === undefined || options.some(({ slug }) => slug === own);
  return isListed ? options : [...options, { slug: own, name: own }];
}

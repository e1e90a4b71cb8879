import { type AppCategories, maxCategories } from '@belfry/database';
import { isCategorySlug } from '@belfry/shared';
import type { CategoryListAnswer } from '../../api/categories';
import { changedMeanwhile, notFound, Refusal } from '../problem';
import type { Handlers } from '../route';

export type CategoryHandlersDeps = { categories: AppCategories };

/** The categories of an app's optional events. */
export function createCategoryHandlers({ categories }: CategoryHandlersDeps) {
  async function answer(appId: string): Promise<CategoryListAnswer> {
    const rows = await categories.list(appId);
    return {
      max: maxCategories,
      categories: rows.map(({ updatedAt, ...row }) => ({ ...row, updatedAt: updatedAt.getTime() })),
    };
  }

  return {
    'GET /api/apps/:appId/categories': ({ app }) => answer(app.id),

    async 'POST /api/apps/:appId/categories'({ actor, app, body }) {
      const created = await categories.create(actor, app.id, body);
      if (created === 'taken') throw slugTaken(body.slug);
      if (created === 'full') {
        const text = `There are already ${maxCategories} categories. Delete one first.`;
        throw new Refusal('wrong_state', text);
      }
      return answer(app.id);
    },

    async 'PATCH /api/apps/:appId/categories/:slug'({ actor, app, path, body }) {
      const slug = readSlug(path.slug);
      const { texts, position, updatedAt } = body;
      const change = {
        ...(texts !== undefined && { texts }),
        ...(position !== undefined && { position }),
        ...(updatedAt !== undefined && { updatedAt: new Date(updatedAt) }),
      };
      if (!(await categories.change(actor, app.id, { slug, ...change }))) {
        const row = (await categories.list(app.id)).find((one) => one.slug === slug);
        throw row ? changedMeanwhile('category', row.updatedAt) : notFound('category');
      }
      return answer(app.id);
    },

    async 'DELETE /api/apps/:appId/categories/:slug'({ actor, app, path }) {
      const slug = readSlug(path.slug);
      const removal = await categories.remove(actor, app.id, slug);
      if (removal === 'not_found') throw notFound('category');
      if (removal !== 'removed') throw categoryInUse(slug, removal.usedBy);
      return answer(app.id);
    },
  } satisfies Partial<Handlers>;
}

/** No other text can be in a row, or in PostgreSQL at all. */
function readSlug(text: string): string {
  if (!isCategorySlug(text)) throw notFound('category');
  return text;
}

function slugTaken(slug: string): Refusal {
  return new Refusal('name_taken', `This app already has a category “${slug}”.`, {
    fields: [{ path: 'slug', problem: 'is taken by another category of this app' }],
  });
}

const maxNamed = 5;

function categoryInUse(slug: string, events: readonly string[]): Refusal {
  const rest = events.length - maxNamed;
  const names = [...events.slice(0, maxNamed), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  const text = `These events have the category “${slug}”, live or in their draft: ${names}. Choose another category there and publish first.`;
  return new Refusal('wrong_state', text);
}

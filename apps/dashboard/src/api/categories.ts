import { operatorInput } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { time } from './schemas';

const { categorySlugSchema, categoryText, categoryTexts } = operatorInput;

const category = Type.Object({
  slug: Type.String(),
  texts: Type.Record(Type.String(), categoryText),
  position: Type.Integer(),
  updatedAt: time,
});
export type CategoryAnswer = Static<typeof category>;

const categoryList = Type.Object({ categories: Type.Array(category), max: Type.Integer() });
export type CategoryListAnswer = Static<typeof categoryList>;

export const categoryRoutes = {
  /** By position, then by slug. */
  'GET /api/apps/:appId/categories': { access: 'viewer', answer: categoryList },
  /** 409 `name_taken`, 409 `wrong_state` if there are too many. */
  'POST /api/apps/:appId/categories': {
    access: 'editor',
    body: Type.Object({ slug: categorySlugSchema, texts: categoryTexts }),
    answer: categoryList,
    audit: 'category.created',
  },
  /**
   * Omitted fields are kept. The slug never changes. With `updatedAt` of the answer that the form was filled from: 409
   * `draft_changed` if the category was changed since then.
   */
  'PATCH /api/apps/:appId/categories/:slug': {
    access: 'editor',
    body: Type.Object({
      texts: Type.Optional(categoryTexts),
      position: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
      updatedAt: Type.Optional(Type.Number()),
    }),
    answer: categoryList,
    audit: 'category.changed',
  },
  /** 409 `wrong_state` if a live version or a draft has the category. */
  'DELETE /api/apps/:appId/categories/:slug': {
    access: 'editor',
    answer: categoryList,
    audit: 'category.removed',
  },
} as const satisfies Record<string, RouteSpec>;

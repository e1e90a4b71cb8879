import { categorySlugPattern, limits } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { nameRule, time } from './schemas';

const slug = Type.String({
  // pattern-ignore: A literal in packages/shared/src/preferences.ts.
  pattern: categorySlugPattern,
  'x-problem': `must have 1 to ${limits.categorySlugCharacters} lower-case letters, digits, hyphens or underscores, and start with a letter or digit`,
});

const categoryText = Type.Object(
  {
    name: Type.String({
      maxLength: 100,
      ...nameRule,
      'x-problem': 'must have 1 to 100 characters and no control characters',
    }),
    description: Type.String({ maxLength: 500 }),
  },
  { additionalProperties: false },
);

/** By language tag. */
const texts = Type.Record(
  Type.String({ pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$' }),
  categoryText,
  {
    minProperties: 1,
    maxProperties: 50,
    additionalProperties: false,
    'x-problem': 'must have a name in 1 to 50 languages, by language tag such as en or de-AT',
  },
);

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
    body: Type.Object({ slug, texts }),
    answer: categoryList,
    audit: 'category.created',
  },
  /** Omitted fields are kept. The slug never changes. */
  'PATCH /api/apps/:appId/categories/:slug': {
    access: 'editor',
    body: Type.Object({
      texts: Type.Optional(texts),
      position: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
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

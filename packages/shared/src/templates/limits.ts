/** The longest source of one field. */
export const maxSourceCharacters = 64 * 1024;
/** Limits of all fields of one channel in one language together: they are parsed at once. */
export const maxTemplateCharacters = 128 * 1024;
export const maxTags = 1_000;
/** Names, separators, literals and parentheses inside tags. */
export const maxTokens = 3_000;
/** Different time zones and languages that are written out: each is tried out, which takes about 0.2 ms. */
export const maxFormatNames = 20;
export const maxBlockLevels = 32;
export const maxParenthesisLevels = 32;
/** Blocks and `else` parts inside each other: in the tree, each `else if` lies inside the part before it. */
export const maxNestedBranches = 128;
/** Steps of one path, `..` included; data is no deeper. */
export const maxPathSteps = 32;

/** The longest text of one field, in UTF-16 units. */
export const defaultMaxOutputCharacters = 256 * 1024;
/** The budget of one message over all its fields, in the units of `render-budget.ts`. */
export const maxRenderUnits = 600_000;

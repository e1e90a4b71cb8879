/** Maximum source length of one field. */
export const maxSourceCharacters = 64 * 1024;
/** Limits of all fields of one channel in one language together, because they are parsed together. */
export const maxTemplateCharacters = 128 * 1024;
export const maxTags = 1_000;
/** Names, separators, literals and parentheses inside tags. */
export const maxTokens = 3_000;
/** Different literal time zones and languages: checking one takes about 0.2 ms. */
export const maxFormatNames = 20;
export const maxBlockLevels = 32;
export const maxParenthesisLevels = 32;
/** Nested blocks and `else` parts. In the tree, each `else if` is nested in the part before it. */
export const maxNestedBranches = 128;
/** Steps of one path, including `..`. The gateway accepts data of 32 levels. */
export const maxPathSteps = 32;

/** Maximum output length of one field, in UTF-16 units. */
export const defaultMaxOutputCharacters = 256 * 1024;
/** The budget of one message over all its fields, in the units of `render-budget.ts`. */
export const maxRenderUnits = 600_000;

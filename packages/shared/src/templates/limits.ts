/** What a template may be; checked before it is parsed, because the parser alone can be stalled for minutes. */
export const maxSourceCharacters = 64 * 1024;
export const maxTags = 2_000;
/** Names, separators, literals and parentheses inside tags. */
export const maxTokens = 10_000;
/** Names in square brackets: the parser copies its input for each. */
export const maxBracketNames = 1_000;
export const maxBlockLevels = 32;
export const maxParenthesisLevels = 32;
/** Blocks and `else` parts inside each other: in the tree, each `else if` lies inside the part before it. */
export const maxNestedBranches = 128;
/** Steps of one path, `..` included; data is no deeper. */
export const maxPathSteps = 32;

/** What a rendering may take. Characters are UTF-16 units. */
export const defaultMaxOutputCharacters = 256 * 1024;
/** Rounds of all `#each` blocks together. */
export const defaultMaxIterations = 100_000;
/** Work of a rendering, in steps of some 10 to 50 ns: one an expression, more for long texts, lists and formats. */
export const maxSteps = 1_000_000;

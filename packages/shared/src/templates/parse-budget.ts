import { maxBracketNames, maxTags, maxTemplateCharacters, maxTokens } from './limits';

/** What is left for the fields of one template, that is of one channel in one language. */
export type ParseBudget = {
  characters: number;
  tags: number;
  tokens: number;
  bracketNames: number;
  /** The time zones and languages that are written out; see `maxFormatNames`. */
  formatNames: Set<string>;
};

export function createParseBudget(): ParseBudget {
  return {
    characters: maxTemplateCharacters,
    tags: maxTags,
    tokens: maxTokens,
    bracketNames: maxBracketNames,
    formatNames: new Set(),
  };
}

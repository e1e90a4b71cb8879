import { maxTags, maxTemplateCharacters, maxTokens } from './limits';

/** The budget that the fields of one channel in one language have left. */
export type ParseBudget = {
  characters: number;
  tags: number;
  tokens: number;
  /** The time zones and languages that are written out; see `maxFormatNames`. */
  formatNames: Set<string>;
};

export function createParseBudget(): ParseBudget {
  return {
    characters: maxTemplateCharacters,
    tags: maxTags,
    tokens: maxTokens,
    formatNames: new Set(),
  };
}

import { maxTags, maxTemplateCharacters, maxTokens } from './limits';

/** The budget that the fields of one channel in one language have left. */
export type ParseBudget = {
  /** The tag of that language: `plural` goes by its rules. */
  language: string;
  characters: number;
  tags: number;
  tokens: number;
  /** The time zones and languages that are written out; see `maxFormatNames`. */
  formatNames: Set<string>;
};

export function createParseBudget(language = 'en'): ParseBudget {
  return {
    language,
    characters: maxTemplateCharacters,
    tags: maxTags,
    tokens: maxTokens,
    formatNames: new Set(),
  };
}

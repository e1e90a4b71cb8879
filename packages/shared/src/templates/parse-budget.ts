import { maxTags, maxTemplateCharacters, maxTokens } from './limits';

/** The remaining parse budget for all fields of one channel in one language. */
export type ParseBudget = {
  /** Tag of that language: `plural` follows its rules. */
  language: string;
  characters: number;
  tags: number;
  tokens: number;
  /** Literal time zones and languages; see `maxFormatNames`. */
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

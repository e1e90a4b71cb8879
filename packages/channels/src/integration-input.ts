export type IntegrationInput = {
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
};

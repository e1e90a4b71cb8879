import type { Tenant } from '../factories';

export type TwinOptions = {
  /** Natural keys are derived from it. */
  word: string;
  /** A text in all content of the twin: an answer or row of another tenant that contains it has leaked. */
  mark: string;
  /** False leaves out the rows of the account itself. */
  hasAccountRows?: boolean;
  pausedChannel?: string;
};

export type Insert = (table: string, row: Record<string, unknown>) => void;

export type Seed = TwinOptions & {
  insert: Insert;
  tenant: Tenant;
  keys: ReturnType<typeof naturalKeys>;
};

/** Twins with the same word share them. */
export function naturalKeys(word: string) {
  return {
    userId: `${word}-user`,
    email: `${word}@example.com`,
    mobile: `+1202555${String(1_000 + word.length * 7)}`,
    token: `${word}-push-token`,
    clientId: `${word}-phone`,
    eventName: `${word}-event`,
    categorySlug: `${word}-category`,
    integrationName: `${word}-integration`,
    filterName: `${word}-filter`,
    idempotencyKey: `${word}-key`,
    metadata: `${word}-order:${word}-number`,
    cancelKey: `${word}-cancel-key`,
    providerMessageId: `${word}-provider-message`,
    operatorEmail: `${word}-operator@example.com`,
  };
}

export type Configured = { integrationId: string; eventId: string; versionId: string };

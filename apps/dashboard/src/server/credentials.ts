import {
  type IntegrationInput,
  listBoundFields,
  mayShowLastFour,
  mayShowValue,
  type Provider,
} from '@belfry/channels';
import { type AppIntegrationRow, openCredentials, sealCredentials } from '@belfry/database';
import { isFilled, keepEntries, mergeIntoStored } from '@belfry/pipeline/configure';
import type { Secrets } from '@belfry/runtime';
import type { IntegrationAnswer } from '../api/integrations';
import { invalid } from './problem';

type Schemas = Pick<Provider<unknown>, 'settings' | 'credentials'>;

/** Credentials of integrations are write-only; only the worker reads them. */
export type CredentialsBox = {
  seal(integrationId: string, credentials: Record<string, unknown>): string;
  open(row: Pick<AppIntegrationRow, 'id' | 'credentials'>): Record<string, unknown>;
};

export function createCredentialsBox(secrets: Secrets): CredentialsBox {
  return {
    seal: (id, credentials) => sealCredentials(id, credentials, secrets),
    open: (row) => openCredentials(row, secrets),
  };
}

/** The stored credentials with those of the form. Throws a Refusal that names each credential that must be entered again. */
export function mergeCredentials(
  provider: Schemas,
  stored: IntegrationInput,
  form: IntegrationInput,
): Record<string, unknown> {
  const merged = mergeIntoStored(provider, stored, form);
  if ('problems' in merged) throw invalid(merged.problems);
  return merged.credentials;
}

/** Settings that determine the destination and owner of the credentials. */
export function readBoundSettings(
  { settings: schema }: Pick<Schemas, 'settings'>,
  settings: Record<string, unknown>,
): Record<string, unknown> {
  const boundFields = listBoundFields(schema);
  return keepEntries(settings, (_value, name) => boundFields.includes(name));
}

type Hints = IntegrationAnswer['credentials'];

/** The part of each stored credential that a form shows. `changes` has the time when each was last entered. */
export function createHints(
  { credentials: schema }: Pick<Schemas, 'credentials'>,
  credentials: Record<string, unknown>,
  changes: Record<string, number>,
): Hints {
  return Object.fromEntries(
    Object.entries(keepEntries(credentials, isFilled)).map(([name, value]) => [
      name,
      {
        last4: mayShowLastFour(schema, name) ? readLastFour(value) : '',
        value: mayShowValue(schema, name) ? String(value) : null,
        changedAt: changes[name] ?? null,
      },
    ]),
  );
}

/** The same without any character of a credential, for viewers. */
export function hideHints(hints: Hints): Hints {
  return Object.fromEntries(
    Object.entries(hints).map(([name, { changedAt }]) => {
      return [name, { last4: '', value: null, changedAt }];
    }),
  );
}

/** For a shorter credential, four characters reveal too much. */
const shortestHinted = 12;

function readLastFour(value: unknown): string {
  return typeof value === 'string' && value.length >= shortestHinted ? value.slice(-4) : '';
}

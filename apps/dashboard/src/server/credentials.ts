import { type AppIntegrationRow, integrationPlace, openCredentials } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';

/** Credentials of integrations: written, never read again but by who sends. */
export type CredentialsBox = {
  seal(integrationId: string, credentials: Record<string, unknown>): string;
  open(row: Pick<AppIntegrationRow, 'id' | 'credentials'>): Record<string, unknown>;
  /** What a form may show of them. */
  hint(credentials: Record<string, unknown>): Record<string, { last4: string }>;
  /** What is left out, or empty, stays; null takes away. */
  merge(stored: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown>;
};

/** A shorter one would be given away by so much of it. */
const shortestHinted = 12;
const shown = 4;

export function createCredentialsBox(secrets: Secrets): CredentialsBox {
  return {
    seal: (id, credentials) => secrets.seal(JSON.stringify(credentials), integrationPlace(id)),
    open: (row) => openCredentials(row, secrets),
    hint(credentials) {
      return Object.fromEntries(
        Object.entries(credentials)
          .filter(([, value]) => value !== '' && value !== undefined && value !== null)
          .map(([name, value]) => [name, { last4: lastOf(value) }]),
      );
    },
    merge(stored, given) {
      const kept = Object.entries(stored).filter(([name]) => given[name] !== null);
      const changed = Object.entries(given).filter(([, value]) => value !== null && value !== '');
      return Object.fromEntries([...kept, ...changed]);
    },
  };
}

function lastOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length >= shortestHinted ? text.slice(-shown) : '';
}

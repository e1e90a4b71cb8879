import {
  type IntegrationInput,
  listBoundFields,
  listMadeFields,
  mayShowLastFour,
  mayShowValue,
  type Provider,
} from '@belfry/channels';
import { type AppIntegrationRow, openCredentials, sealCredentials } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import type { TObject } from '@sinclair/typebox';
import type { IntegrationAnswer } from '../api/integrations';
import { invalid } from './problem';
import { isSameJson } from './same-json';

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

/**
 * Merges the form into the stored credentials: an omitted or empty field is kept, null removes it. Throws a Refusal
 * that asks for every stored credential again if the form changes a setting that they are bound to.
 */
export function mergeCredentials(
  provider: Schemas,
  stored: IntegrationInput,
  form: IntegrationInput,
): Record<string, unknown> {
  const enteredCredentials = keepEntries(
    form.credentials,
    (value) => value !== undefined && value !== '',
  );
  const changedFields = [
    ...listChangedFields(provider.settings, stored.settings, form.settings),
    ...listChangedFields(provider.credentials, stored.credentials, {
      ...stored.credentials,
      ...enteredCredentials,
    }),
  ];
  const unchangedCredentials = keepEntries(stored.credentials, (value, name) => {
    return isFilled(value) && !Object.hasOwn(enteredCredentials, name);
  });
  if (changedFields.length > 0 && Object.keys(unchangedCredentials).length > 0) {
    const problem = `must be entered again, because it is bound to settings that changed: ${changedFields.join(', ')}`;
    throw invalid(
      Object.keys(unchangedCredentials).map((name) => ({ path: `credentials.${name}`, problem })),
    );
  }
  return { ...unchangedCredentials, ...keepEntries(enteredCredentials, (value) => value !== null) };
}

type MadeBy = Pick<Provider<unknown>, 'credentials' | 'makeCredentials'>;
type Entered = Record<string, unknown>;

/** The entered credentials of a new integration. Belfry makes those that it can make, if none of them was entered. */
export async function makeMissing(
  { credentials: schema, makeCredentials }: MadeBy,
  entered: Entered = {},
): Promise<Entered> {
  const isEntered = listMadeFields(schema).some((name) => isFilled(entered[name]));
  return isEntered || !makeCredentials ? entered : { ...entered, ...(await makeCredentials()) };
}

/** The same for a change: Belfry makes new ones in place of those that the form removes. */
export async function replaceRemoved(provider: MadeBy, entered: Entered = {}): Promise<Entered> {
  const isRemoved = listMadeFields(provider.credentials).some((name) => entered[name] === null);
  return isRemoved ? makeMissing(provider, entered) : entered;
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

/** Titles of the changed fields. An absent field counts as its default. */
function listChangedFields(
  schema: TObject,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): string[] {
  return listBoundFields(schema).flatMap((name) => {
    const { title, default: standard } = schema.properties[name] ?? {};
    const read = (values: Record<string, unknown>) => values[name] ?? standard ?? null;
    return isSameJson(read(before), read(after)) ? [] : [title ?? name];
  });
}

function keepEntries(
  values: Record<string, unknown>,
  mayStay: (value: unknown, name: string) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => mayStay(value, name)));
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** For a shorter credential, four characters reveal too much. */
const shortestHinted = 12;

function readLastFour(value: unknown): string {
  return typeof value === 'string' && value.length >= shortestHinted ? value.slice(-4) : '';
}

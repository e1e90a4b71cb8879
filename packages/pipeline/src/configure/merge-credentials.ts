import { isDeepStrictEqual } from 'node:util';
import {
  type IntegrationInput,
  listBoundFields,
  listMadeFields,
  type Provider,
} from '@belfry/channels';
import type { FieldProblem } from '@belfry/shared';
import type { TObject } from '@sinclair/typebox';

type Schemas = Pick<Provider<unknown>, 'settings' | 'credentials'>;

type MergedCredentials = { credentials: Record<string, unknown> } | { problems: FieldProblem[] };

/**
 * Merges the form into the stored credentials: an omitted or empty field is kept, null removes it. The problems ask for
 * every stored credential again if the form changes a setting that they are bound to.
 */
export function mergeIntoStored(
  provider: Schemas,
  stored: IntegrationInput,
  form: IntegrationInput,
): MergedCredentials {
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
    const names = Object.keys(unchangedCredentials);
    return { problems: names.map((name) => ({ path: `credentials.${name}`, problem })) };
  }
  const filled = keepEntries(enteredCredentials, (value) => value !== null);
  return { credentials: { ...unchangedCredentials, ...filled } };
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

/** Titles of the changed fields. An absent field counts as its default. */
function listChangedFields(
  schema: TObject,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): string[] {
  return listBoundFields(schema).flatMap((name) => {
    const { title, default: standard } = schema.properties[name] ?? {};
    const read = (values: Record<string, unknown>) => values[name] ?? standard ?? null;
    return isDeepStrictEqual(read(before), read(after)) ? [] : [title ?? name];
  });
}

export function keepEntries(
  values: Record<string, unknown>,
  mayStay: (value: unknown, name: string) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => mayStay(value, name)));
}

export function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

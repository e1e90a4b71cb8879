import type { TObject } from '@sinclair/typebox';

/**
 * Marks a setting or credential that determines neither where the credentials are sent nor whose
 * they are. It may change while the stored credentials stay. Changing any other field requires the
 * credentials again, so that nobody can redirect a stored credential to their own server.
 */
export const keepsCredentials = { 'x-keeps-credentials': true } as const;

/**
 * Marks a credential that a provider generated: its last four characters may be shown. Passwords
 * show none.
 */
export const showsLastFour = { 'x-shows-last-four': true } as const;

/**
 * Marks a credential that names an account and proves nothing, such as a user name: operators who
 * may change the integration can read it.
 */
export const showsValue = { 'x-shows-value': true } as const;

/**
 * Marks a credential that Belfry makes if the operator enters none; see `Provider.makeCredentials`.
 */
export const madeByBelfry = { 'x-made-by-belfry': true } as const;

/** The fields that bind the credentials of an integration: all without `keepsCredentials`. */
export function listBoundFields({ properties }: TObject): string[] {
  return Object.keys(properties).filter((name) => !properties[name]?.['x-keeps-credentials']);
}

/** The credentials that Belfry can make. */
export function listMadeFields({ properties }: TObject): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.['x-made-by-belfry'] === true);
}

export function mayShowLastFour({ properties }: TObject, name: string): boolean {
  return Object.hasOwn(properties, name) && properties[name]?.['x-shows-last-four'] === true;
}

export function mayShowValue({ properties }: TObject, name: string): boolean {
  return Object.hasOwn(properties, name) && properties[name]?.['x-shows-value'] === true;
}

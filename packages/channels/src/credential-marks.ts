import type { TObject } from '@sinclair/typebox';

/**
 * Marks a setting or credential that says neither where the integration's credentials are sent nor whose they are. It
 * may change while the stored credentials stay. A change of any other field asks for them again, so that nobody can send
 * a stored credential to a place of their own.
 */
export const keepsCredentials = { 'x-keeps-credentials': true } as const;

/** Marks a credential that a provider generated: its last four characters may be shown. A password shows none. */
export const showsLastFour = { 'x-shows-last-four': true } as const;

/** The fields that bind the credentials of an integration: all that are not marked `keepsCredentials`. */
export function listBoundFields({ properties }: TObject): string[] {
  return Object.keys(properties).filter((name) => !properties[name]?.['x-keeps-credentials']);
}

export function mayShowLastFour({ properties }: TObject, name: string): boolean {
  return Object.hasOwn(properties, name) && properties[name]?.['x-shows-last-four'] === true;
}

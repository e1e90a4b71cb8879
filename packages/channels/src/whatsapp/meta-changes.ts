import { isRecord, toRecord } from '../read-json';

/** The values of a webhook's changes to one field. One call may have several. */
export function listChanges(body: unknown, field: string): Record<string, unknown>[] {
  return toRecords(toRecord(body)?.['entry'])
    .flatMap((entry) => toRecords(entry['changes']))
    .filter((change) => change['field'] === field)
    .map((change) => change['value'])
    .filter(isRecord);
}

/** The number that the change is about. One app of Meta may have several. */
export function getPhoneNumberId(value: Record<string, unknown>): string | undefined {
  const id = toRecord(value['metadata'])?.['phone_number_id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

export function toRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

const maxIdCharacters = 512;

export function parseId(value: unknown): string | undefined {
  const isId = typeof value === 'string' && value !== '' && value.length <= maxIdCharacters;
  return isId ? value : undefined;
}

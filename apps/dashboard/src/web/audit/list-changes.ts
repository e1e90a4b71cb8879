import { getOwn } from '@belfry/shared';
import type { AuditPage, AuditRow } from '../../api/audit';

export type FieldChange = { field: string; before: string | undefined; after: string | undefined };

/**
 * The fields that a change set, with their old values if they are known. Nested fields have dotted names; unchanged ones
 * are left out. IDs of versions become their numbers.
 */
export function listChanges(
  { change, before }: Pick<AuditRow, 'change' | 'before'>,
  names: AuditPage['names'],
): FieldChange[] {
  const [oldFields, newFields] = [flatten(before ?? {}), flatten(change ?? {})];
  const fields = new Set([...oldFields.keys(), ...newFields.keys()]);
  const toText = (value: unknown) => formatValue(value, names);
  return [...fields].flatMap((field) => {
    const pair = { before: toText(oldFields.get(field)), after: toText(newFields.get(field)) };
    return pair.before === pair.after ? [] : [{ field, ...pair }];
  });
}

function flatten(values: Record<string, unknown>, path: readonly string[] = []) {
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(values)) {
    const at = [...path, name];
    const inner = isObject(value) ? flatten(value, at) : [[at.join('.'), value] as const];
    for (const [field, leaf] of inner) fields.set(field, leaf);
  }
  return fields;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function formatValue(value: unknown, names: AuditPage['names']): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (Array.isArray(value)) return value.map((one) => formatValue(one, names) ?? '').join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return getOwn(names, text)?.name ?? text;
}

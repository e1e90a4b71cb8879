import { getOwn } from '@belfry/shared';
import type { AuditPage, AuditRow } from '../../api/audit';
import { formatField } from './format-field';

export type FieldChange = {
  path: string;
  label: string;
  before: string | undefined;
  after: string | undefined;
};

/**
 * The fields that a change set, in words, with their old values if they are known. Unchanged ones are left out. IDs of
 * versions become their numbers.
 */
export function listChanges(
  { change, before }: Pick<AuditRow, 'change' | 'before'>,
  names: AuditPage['names'],
): FieldChange[] {
  const [oldFields, newFields] = [flatten(before ?? {}), flatten(pickFields(change ?? {}))];
  const paths = new Set([...oldFields.keys(), ...newFields.keys()]);
  const format = (path: string, value: unknown) => {
    const { label, text } = formatField(path, value);
    const named = text === undefined ? undefined : getOwn(names, text);
    // The name of a message is only its channel.
    return { label, text: named?.requestId === null ? named.name : text };
  };
  return [...paths].flatMap((path) => {
    const [old, { label, text }] = [
      format(path, oldFields.get(path)),
      format(path, newFields.get(path)),
    ];
    return old.text === text ? [] : [{ path, label, before: old.text, after: text }];
  });
}

/** A version is stored with its ID and its number. The author has a column of its own. */
function pickFields({ by: _author, version, number, ...others }: Record<string, unknown>) {
  const shown = number ?? version;
  return shown === undefined ? others : { version: shown, ...others };
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

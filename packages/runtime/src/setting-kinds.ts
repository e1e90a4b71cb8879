/** Processes that read settings; `cli` is any one-shot command. */
export type ProcessName = 'api' | 'worker' | 'dashboard' | 'cli';

export type Setting = {
  group: 'stores' | 'security' | 'gateway' | 'dashboard' | 'worker' | 'logging' | 'traces';
  /** Processes that read it. */
  for: readonly ProcessName[];
  help: string;
  isRequired?: true;
  /** Processes that can run partly without it. */
  isOptionalFor?: readonly ProcessName[];
  /** Never printed. */
  isSecret?: true;
  /** Refused in production. */
  isForSimulators?: true;
  example?: string;
} & (
  | { kind: 'text'; default?: string }
  | { kind: 'integer'; default: number; minimum: number; maximum: number }
  | { kind: 'boolean'; default: boolean }
  | { kind: 'oneOf'; default: string; values: readonly string[] }
);

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never;
type SettingFields<K extends Setting['kind']> = Without<Extract<Setting, { kind: K }>, 'kind'>;

export function text<const S extends SettingFields<'text'>>(setting: S) {
  return { ...setting, kind: 'text' as const };
}

export function integer<const S extends SettingFields<'integer'>>(setting: S) {
  return { ...setting, kind: 'integer' as const };
}

export function boolean<const S extends SettingFields<'boolean'>>(setting: S) {
  return { ...setting, kind: 'boolean' as const };
}

export function choice<const S extends SettingFields<'oneOf'>>(setting: S) {
  return { ...setting, kind: 'oneOf' as const };
}

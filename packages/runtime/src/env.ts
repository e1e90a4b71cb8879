import { isIP } from 'node:net';
import { findArchiveProblems } from './archive-url';
import { parseRedisUrl } from './redis-url';
import type { ProcessName, Setting } from './setting-kinds';
import { type SettingName, settings } from './settings';
import { findTracingProblems } from './tracing-settings';

type SettingValue<S> = S extends { kind: 'integer' }
  ? number
  : S extends { kind: 'boolean' }
    ? boolean
    : S extends { kind: 'oneOf'; values: readonly (infer V)[] }
      ? V
      : string;

/** Parsed settings of a process: numbers in the unit of their name, text trimmed. */
export type Env<P extends ProcessName> = {
  readonly [N in SettingName as P extends (typeof settings)[N]['for'][number]
    ? N
    : never]: SettingValue<(typeof settings)[N]>;
};

export type EnvProblem = { name: string; problem: string; example: string | undefined };

/** All problems of the environment in one error. */
export class EnvError extends Error {
  readonly problems: EnvProblem[];

  constructor(problems: EnvProblem[]) {
    super(
      ['These settings are invalid (see docs/reference/configuration.md):']
        .concat(
          problems.map(
            ({ name, problem, example }) =>
              `  ${name}: ${problem}${example ? `, for example ${example}` : ''}`,
          ),
        )
        .join('\n'),
    );
    this.name = 'EnvError';
    this.problems = problems;
  }
}

/** Reads the settings of a process. Throws an EnvError that lists every missing or invalid one. */
export function readEnv<P extends ProcessName>(
  processName: P,
  source: Record<string, string | undefined> = process.env,
): Env<P> {
  const problems: EnvProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    if (!setting.for.includes(processName)) continue;
    const parsed = parse(setting, source[name]?.trim(), processName);
    if ('value' in parsed) values[name] = parsed.value;
    else problems.push({ name, problem: parsed.problem, example: setting.example });
  }
  if (problems.length === 0) problems.push(...findContradictions(values));
  if (problems.length > 0) throw new EnvError(problems);
  markClusterPrefix(values);
  // Safe cast: every setting of the process got a value of its kind above.
  return values as Env<P>;
}

/** The environment of this process, merged over defaults for unset variables. */
export function mergeEnvironment(
  defaults: Record<string, string>,
): Record<string, string | undefined> {
  const entries = Object.entries(process.env).filter(([, value]) => value?.trim());
  return { ...defaults, ...Object.fromEntries(entries) };
}

type Parsed = { value: unknown } | { problem: string };

function parse(setting: Setting, rawValue: string | undefined, reader: ProcessName): Parsed {
  if (!rawValue) return parseAbsent(setting, reader);
  switch (setting.kind) {
    case 'text':
      return { value: rawValue };
    case 'integer':
      return parseInteger(setting, rawValue);
    case 'boolean':
      return rawValue === 'true' || rawValue === 'false'
        ? { value: rawValue === 'true' }
        : { problem: 'must be true or false' };
    case 'oneOf':
      return setting.values.includes(rawValue)
        ? { value: rawValue }
        : { problem: `must be one of ${setting.values.join(', ')}` };
  }
}

function parseAbsent(setting: Setting, reader: ProcessName): Parsed {
  const isRequired = setting.isRequired && !setting.isOptionalFor?.includes(reader);
  return isRequired ? { problem: 'is missing' } : { value: setting.default ?? '' };
}

function parseInteger(setting: { minimum: number; maximum: number }, rawValue: string): Parsed {
  const { minimum, maximum } = setting;
  const value = Number(rawValue);
  if (!/^\d+$/.test(rawValue) || value < minimum || value > maximum) {
    return { problem: `must be a whole number from ${minimum} to ${maximum}` };
  }
  return { value };
}

function isUrlOrEmpty(value: unknown): boolean {
  return typeof value !== 'string' || value === '' || URL.canParse(value);
}

/** Problems between several settings. A setting that the process does not read is undefined here. */
function findContradictions(env: Record<string, unknown>): EnvProblem[] {
  const problems: EnvProblem[] = [];
  const add = (name: SettingName, problem: string) =>
    problems.push({ name, problem, example: undefined });
  if ((env['TLS_CERT_FILE'] ?? '') === '' && env['TLS_KEY_FILE']) {
    add('TLS_CERT_FILE', 'is required with TLS_KEY_FILE');
  }
  if (env['TLS_CERT_FILE'] && env['TLS_KEY_FILE'] === '') {
    add('TLS_KEY_FILE', 'is required with TLS_CERT_FILE');
  }
  if (!isUrlOrEmpty(env['PUBLIC_URL'])) add('PUBLIC_URL', 'must be a URL');
  if (!isUrlOrEmpty(env['DASHBOARD_URL'])) add('DASHBOARD_URL', 'must be a URL');
  if (!isUrlOrEmpty(env['HEARTBEAT_URL'])) add('HEARTBEAT_URL', 'must be a URL');
  if (!isHostList(env['ALLOWED_PRIVATE_HOSTS'])) {
    add('ALLOWED_PRIVATE_HOSTS', 'must be host names or addresses, comma separated, without ports');
  }
  if (Number(env['RETRY_CAP_MS']) < Number(env['RETRY_BASE_MS'])) {
    add('RETRY_CAP_MS', 'must not be below RETRY_BASE_MS');
  }
  return [
    ...problems,
    ...findReplicaProblems(env),
    ...findRedisProblems(env),
    ...findAdminProblems(env),
    ...findSimulatorProblems(env),
    ...findTracingProblems(env),
    ...findArchiveProblems(env),
  ];
}

/** Several hosts are allowed, so `URL` cannot read it. */
function findReplicaProblems({ DATABASE_REPLICA_URL: url }: Values): EnvProblem[] {
  if (!url || /^postgres(ql)?:\/\/./.test(String(url))) return [];
  const { example } = settings.DATABASE_REPLICA_URL;
  return [{ name: 'DATABASE_REPLICA_URL', problem: 'must start with postgresql://', example }];
}

function findRedisProblems({ REDIS_URL: url, REDIS_PREFIX: prefix }: Values): EnvProblem[] {
  if (!url) return [];
  const target = parseRedisUrl(String(url));
  if ('problem' in target) {
    return [{ name: 'REDIS_URL', problem: target.problem, example: undefined }];
  }
  if (target.mode !== 'cluster' || /^(?:[^{}]*|\{[^{}]+\})$/.test(String(prefix ?? ''))) return [];
  const problem = 'must have no braces in a Cluster, or stand in braces as a whole';
  return [{ name: 'REDIS_PREFIX', problem, example: 'belfry' }];
}

/** Braces make `addHashTag` choose slots. Outside of a Cluster the prefix stays, so that existing keys are found. */
function markClusterPrefix(env: Values): void {
  const { REDIS_URL: url, REDIS_PREFIX: prefix } = env;
  if (!/^rediss?\+cluster:/.test(String(url ?? '')) || typeof prefix !== 'string') return;
  if (!prefix.startsWith('{')) env['REDIS_PREFIX'] = `{${prefix}}`;
}

function isHostList(value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return true;
  const names = value.split(',').map((name) => name.trim());
  return names.every((name) => isIP(name) !== 0 || /^[A-Za-z0-9_.-]+$/.test(name));
}

/** The dashboard has the same rule for new passwords. */
const passwordCharacters = { minimum: 12, maximum: 256 };

function findAdminProblems({ ADMIN_EMAIL: email, ADMIN_PASSWORD: password }: Values): EnvProblem[] {
  if (Boolean(email) !== Boolean(password)) {
    const name = email ? 'ADMIN_PASSWORD' : 'ADMIN_EMAIL';
    const otherName = email ? 'ADMIN_EMAIL' : 'ADMIN_PASSWORD';
    return [{ name, problem: `is required with ${otherName}`, example: undefined }];
  }
  const { minimum, maximum } = passwordCharacters;
  const { length } = String(password ?? '');
  if (length === 0 || (length >= minimum && length <= maximum)) return [];
  const problem = `must have ${minimum} to ${maximum} characters`;
  return [{ name: 'ADMIN_PASSWORD', problem, example: undefined }];
}

type Values = Record<string, unknown>;

function findSimulatorProblems(env: Record<string, unknown>): EnvProblem[] {
  if (env['NODE_ENV'] !== 'production') return [];
  return simulatorSettings
    .filter((name) => env[name])
    .map((name) => ({
      name,
      problem: 'is for simulators and not allowed in production',
      example: undefined,
    }));
}

const simulatorSettings = Object.entries<Setting>(settings)
  .filter(([, { isForSimulators }]) => isForSimulators)
  // Safe cast: the names are keys of the list.
  .map(([name]) => name as SettingName);

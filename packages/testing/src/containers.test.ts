import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { channelNames } from '@belfry/channels';
import {
  nodeOptions,
  type ProcessName,
  readEnv,
  type SettingName,
  settings,
} from '@belfry/runtime';
import { commonRoles, getDeliverQueue } from '@belfry/shared';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { testKeyRing } from './factories';
import { repositoryRoot } from './test-stores';

type Service = {
  image: string;
  command?: string[];
  environment: Record<string, string>;
  ports?: string[];
  stop_grace_period?: string;
  mem_limit?: string;
  healthcheck?: { test: string[] };
};

const requiredEnv: Record<string, string> = {
  BELFRY_KEYS: testKeyRing,
  POSTGRES_PASSWORD: 'secret',
  REDIS_PASSWORD: 'hidden',
};
const composeText = read('docker-compose.yml');
const dockerfile = read('Dockerfile');
const compose = parse(interpolate(composeText), { merge: true });
const services = Object.entries<Service>(compose.services);
/** Our own services, each with the process that it runs. */
const ours = services.flatMap(([name, service]) => {
  const process = service.command
    ?.map((part) => /^apps\/(\w+)\/dist\/(?:server\/)?main\.js$/.exec(part)?.[1])
    .find((name) => name !== undefined);
  // An unknown name reads no settings, and fails below.
  return process ? [{ name, process: process as ProcessName, ...service }] : [];
});

function read(file: string): string {
  return readFileSync(path.join(repositoryRoot, file), 'utf8');
}

/** As compose does it: required variables are set, all others take their default. */
function interpolate(text: string): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g, (_all, name, standard) =>
    standard === undefined ? (requiredEnv[name] ?? 'missing') : standard,
  );
}

function milliseconds(seconds: string | undefined): number {
  return Number(/^(\d+)s$/.exec(seconds ?? '')?.[1]) * 1_000;
}

function megabytes(limit: string | undefined): number {
  return Number(/^(\d+)m$/.exec(limit ?? '')?.[1]);
}

/** Code, threads and buffers. */
const outsideOfHeapMb = 256;

describe('docker-compose.yml', () => {
  test('is valid by the schema of the compose specification', () => {
    // The specification has no package; this linter contains its schema.
    const linter = path.dirname(require.resolve('dclint/package.json'));
    const file = path.join(linter, 'schemas', 'compose.schema.json');
    const { $schema: _draft7, ...schema } = JSON.parse(readFileSync(file, 'utf8'));
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    const validate = ajv.compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
    expect(validate({ ...compose, services: { api: { imagge: 'x' } } })).toBe(false);
  });

  test('runs every worker role in exactly one service of that name', () => {
    const workers = ours.filter(({ process }) => process === 'worker');
    const roles = [...channelNames.map(getDeliverQueue), ...commonRoles];
    expect(workers.map(({ environment }) => environment['WORKER_ROLES'])).toEqual(roles);
    expect(workers.map(({ name }) => name)).toEqual(roles);
    expect([...new Set(workers.map(({ command = [] }) => command.join(' ')))]).toEqual([
      `node ${nodeOptions.worker.join(' ')} apps/worker/dist/main.js`,
    ]);
  });

  test('runs the gateway, the dashboard and the migrations once', () => {
    const otherServices = ours.filter(({ process }) => process !== 'worker');
    expect(otherServices.map(({ name, command }) => [name, ...(command ?? [])].join(' '))).toEqual([
      `api node ${nodeOptions.api.join(' ')} apps/api/dist/main.js`,
      `dashboard node ${nodeOptions.dashboard.join(' ')} apps/dashboard/dist/server/main.js`,
      `migrate node ${nodeOptions.cli.join(' ')} apps/cli/dist/main.js migrate`,
    ]);
  });

  test.each(ours)(
    'gives $name settings that its process reads, and all required ones',
    (service) => {
      const { environment, process } = service;
      const unknown = Object.keys(environment).filter(
        (name) => !settings[name as SettingName]?.for.some((reader) => reader === process),
      );
      expect(unknown).toEqual([]);
      expect(() => readEnv(process, { ...environment, NODE_ENV: 'production' })).not.toThrow();
    },
  );

  test.each(Object.keys(requiredEnv))('has no default for %s', (name) => {
    const uses = composeText.match(new RegExp(`\\$\\{${name}[^}]*\\}`, 'g')) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const use of uses) expect(use).toMatch(/:\?.*openssl rand/);
  });

  test.each(ours)(
    'gives $name more time to stop than its own limit',
    ({ stop_grace_period, environment }) => {
      expect(milliseconds(stop_grace_period)).toBeGreaterThan(
        environment['WORKER_ROLES'] === 'deliver-email' ? 50_000 : 25_000,
      );
    },
  );

  test.each(services)('limits the memory of %s', (_name, { mem_limit }) => {
    expect(megabytes(mem_limit)).toBeGreaterThan(0);
  });

  test.each(ours)(
    'limits the heap of $name below the memory of its container',
    ({ command = [], mem_limit }) => {
      const readFlag = (name: string) =>
        command.map((part) => part.split('=')).find(([flag]) => flag === name)?.[1];
      const heap = Number(readFlag('--max-old-space-size'));
      const youngGeneration = 3 * Number(readFlag('--max-semi-space-size'));
      expect(heap + youngGeneration + outsideOfHeapMb).toBeLessThanOrEqual(megabytes(mem_limit));
    },
  );

  test('passes the Redis password to server and clients, but on no command line', () => {
    const { redis, api } = compose.services;
    expect(redis.environment).toEqual({ REDISCLI_AUTH: 'hidden' });
    expect(redis.command.join(' ')).toContain('requirepass $$REDISCLI_AUTH\n');
    expect(api.environment.REDIS_URL).toBe('redis://:hidden@redis:6379/0');
    const commands = services.flatMap(([, { command = [], healthcheck }]) => [
      ...command,
      ...(healthcheck?.test ?? []),
    ]);
    expect(commands.filter((part) => /hidden|secret/.test(part))).toEqual([]);
  });

  test.each(services)('publishes %s only on loopback, if at all', (_name, { ports = [] }) => {
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  test.each(services)('pins the image of %s', (_name, { image }) => {
    const { version } = JSON.parse(read('package.json'));
    const isOurs = image.startsWith('belfry:');
    expect(image).toMatch(isOurs ? `belfry:${version}` : /^[\w/]+:\d+\.\d+(\.\d+)?-\w+$/);
  });
});

describe('Dockerfile', () => {
  test('starts the gateway as docker-compose.yml does', () => {
    const command = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]';
    expect(JSON.parse(command)).toEqual(compose.services.api.command);
  });

  test('pins its base image', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name);
    expect(bases[0]).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim$/);
    expect(new Set(bases.slice(1))).toEqual(new Set(['base']));
  });

  test('ends with a numeric user that is not root', () => {
    const [last] = dockerfile.split(/^FROM /m).slice(-1);
    expect(last).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  });

  test('copies only paths that exist', () => {
    const places = dockerfile.match(/\b(?:apps|packages|prisma)\/[\w*./-]+/g) ?? [];
    expect(places.length).toBeGreaterThan(5);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(\S+)/gm)].map(([, from = '']) => from);
    expect([...places, ...copied].filter((place) => expand(place).length === 0)).toEqual([]);
  });
});

describe('.dockerignore', () => {
  test.each(['**/node_modules', '**/dist', '.env', '.git', '.belfry'])('excludes %s', (pattern) => {
    expect(read('.dockerignore').split('\n')).toContain(pattern);
  });
});

/** The sources of a path in the Dockerfile; `dist` is built from `src`. */
function expand(place: string): string[] {
  const [folder = '', name = '.', ...rest] = place.replace(/\bdist\b/, 'src').split('/');
  const names = name === '*' ? readdirSync(path.join(repositoryRoot, folder)) : [name];
  return names
    .map((each) => path.join(folder, each, ...rest).replace(/\.js$/, '.ts'))
    .filter((each) => existsSync(path.join(repositoryRoot, each)));
}

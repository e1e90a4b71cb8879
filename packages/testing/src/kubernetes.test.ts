import { readFileSync } from 'node:fs';
import path from 'node:path';
import { channelNames } from '@belfry/channels';
import {
  createMetrics,
  createStatusServer,
  nodeOptions,
  type ProcessName,
  readEnv,
  type SettingName,
  settings,
} from '@belfry/runtime';
import { commonRoles, getDeliverQueue } from '@belfry/shared';
import { parse } from 'yaml';
import { testKeyRing } from './factories';
import {
  buildManifests,
  hasKubectl,
  listWorkloads,
  type Manifest,
  readContainerEnv,
  selects,
  type Workload,
} from './manifests.fixture';
import { repositoryRoot } from './test-stores';

/** Skipped in CI too: Debian 12 has no kubectl that is new enough. */
const describeBuilt = hasKubectl() ? describe : describe.skip;

const read = (file: string) => readFileSync(path.join(repositoryRoot, file), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true });
const secrets = {
  DATABASE_URL: 'postgresql://belfry:secret@db:5432/belfry',
  REDIS_URL: 'redis://redis:6379/0',
  BELFRY_KEYS: testKeyRing,
  ADMIN_EMAIL: 'ops@example.com',
  ADMIN_PASSWORD: 'correct horse battery',
};
const workerRoles = [...channelNames.map(getDeliverQueue), ...commonRoles];

/** The ports of each process, with the settings of their numbers. */
const listenPorts: Partial<Record<ProcessName, [string, SettingName][]>> = {
  api: [
    ['http', 'API_PORT'],
    ['metrics', 'METRICS_PORT'],
  ],
  dashboard: [['http', 'DASHBOARD_PORT']],
  worker: [['metrics', 'WORKER_PORT']],
};

let basic: Manifest[];
let autoscaled: Manifest[];
let workloads: Workload[];
let deployments: Workload[];

function setUp() {
  basic = buildManifests('overlays/basic');
  autoscaled = buildManifests('overlays/autoscaled');
  workloads = listWorkloads(autoscaled);
  deployments = workloads.filter(({ manifest }) => manifest.kind === 'Deployment');
}

const list = (kind: string) => autoscaled.filter((manifest) => manifest.kind === kind);

/** The process of its command, as in docker-compose.yml. */
function getProcess({ container }: Workload): ProcessName {
  const entry = container.command.find((part) => part.startsWith('apps/'));
  // Safe cast: an unknown name reads no settings, and its test fails.
  return entry?.split('/')[1] as ProcessName;
}

/** The service of docker-compose.yml that runs the same. */
const getService = ({ role }: Workload) => compose.services[role];

const readConfiguration = () => list('ConfigMap')[0]?.data ?? {};

describeBuilt('deploy/kubernetes', () => {
  beforeAll(setUp);

  test('runs every role of the worker in one Deployment of that name, and the gateway, the dashboard and the migrations', () => {
    const roles = ['api', 'dashboard', ...workerRoles];
    expect(deployments.map(({ role }) => role).sort()).toEqual(roles.sort());
    for (const { name, role } of workloads) expect(name).toBe(`belfry-${role.replace('_', '-')}`);
    const jobs = workloads.filter(({ manifest }) => manifest.kind === 'Job');
    expect(jobs.map(({ role }) => role)).toEqual(['migrate']);
  });

  test('runs the commands, with the limits of memory, of docker-compose.yml', () => {
    for (const workload of workloads) {
      const { command, mem_limit } = getService(workload);
      const { container } = workload;
      expect(container.command).toEqual(command);
      expect(container.command).toEqual(
        expect.arrayContaining([...nodeOptions[getProcess(workload)]]),
      );
      expect(container.resources.limits).toEqual({ memory: mem_limit.replace('m', 'Mi') });
    }
  });

  test('gives each process settings that it reads, and all required ones', () => {
    for (const workload of workloads) {
      const name = getProcess(workload);
      const unread = workload.container.env
        .map((variable) => settings[variable.name as SettingName])
        .filter((setting) => !setting?.for.some((reader) => reader === name));
      expect(unread).toEqual([]);
      const env = readContainerEnv(workload, readConfiguration(), secrets);
      expect(() => readEnv(name, { ...env, NODE_ENV: 'production' })).not.toThrow();
      if (name === 'worker') expect(env['WORKER_ROLES']).toBe(workload.role);
    }
  });

  test('takes secrets only from the secret, which is not in the repository', () => {
    const isSecret = (name: string) => 'isSecret' in (settings[name as SettingName] ?? {});
    const configured = Object.keys(readConfiguration());
    expect(configured.filter((name) => !Object.hasOwn(settings, name) || isSecret(name))).toEqual(
      [],
    );
    for (const { container } of workloads) {
      const own = container.env.filter(({ name }) => isSecret(name));
      expect(own.map(({ name }) => name)).toContain('DATABASE_URL');
      for (const { name, value, valueFrom } of own) {
        expect(value).toBeUndefined();
        expect(valueFrom).toMatchObject({ secretKeyRef: { name: 'belfry', key: name } });
      }
    }
    expect(list('Secret')).toEqual([]);
  });

  test('gives each process at least the time to stop of docker-compose.yml, after the wait before it', () => {
    for (const workload of deployments) {
      const { stop_grace_period = '' } = getService(workload);
      const wait = Number(workload.container.lifecycle?.preStop.exec.command[1] ?? 0);
      const { terminationGracePeriodSeconds } = workload.pod;
      expect(terminationGracePeriodSeconds - wait).toBeGreaterThanOrEqual(
        parseInt(stop_grace_period, 10),
      );
    }
  });

  test('runs every container as an ordinary user, without privileges and with a read-only file system', () => {
    for (const { pod, container } of workloads) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      expect(container).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      });
      expect(pod.containers).toHaveLength(1);
    }
    expect(read('Dockerfile')).toContain('USER 1000:1000');
  });

  test('runs the version of this repository', () => {
    const { version } = JSON.parse(read('package.json'));
    const images = new Set(workloads.map(({ container }) => container.image));
    expect([...images]).toEqual([`registry.example.com/belfry:${version}`]);
  });

  test('opens the ports on which the processes listen', () => {
    for (const workload of deployments) {
      const name = getProcess(workload);
      const env = readEnv(name, {
        ...readContainerEnv(workload, readConfiguration(), secrets),
        NODE_ENV: 'production',
      }) as Record<string, unknown>;
      const ports = workload.container.ports ?? [];
      expect(ports).toEqual(
        listenPorts[name]?.map(([port, setting]) => ({ name: port, containerPort: env[setting] })),
      );
      const hosts = Object.entries(env).filter(([key]) =>
        /^(API|DASHBOARD|METRICS)_HOST$/.test(key),
      );
      for (const [key, host] of hosts) expect([key, host]).toEqual([key, '0.0.0.0']);
    }
  });

  test('probes each process at paths that answer', async () => {
    const status = createStatusServer();
    const sources = { readQueueJobs: async () => [], readOldestWaiting: async () => [] };
    const deps = { metrics: createMetrics(sources), ready: async () => true };
    const url = await status.listen(deps, { host: '127.0.0.1', port: 0 });
    for (const { role, container } of deployments) {
      const { startupProbe, livenessProbe, readinessProbe } = container;
      const probes = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);
      const port = role === 'dashboard' ? 'http' : 'metrics';
      expect(probes).toEqual(
        ['/livez', '/livez', '/readyz'].map((place) => ({ path: place, port })),
      );
      for (const probe of probes) {
        expect((await fetch(new URL(String(probe?.path), url))).status).toBe(200);
      }
    }
    await status.close();
  });

  test('lets a drain take one pod of a Deployment at a time', () => {
    const budgets = list('PodDisruptionBudget');
    for (const { labels, name, manifest } of deployments) {
      expect(selects(manifest.spec.selector, labels)).toBe(true);
      const own = budgets.filter(({ spec }) => selects(spec.selector, labels));
      expect(own).toMatchObject([{ metadata: { name }, spec: { maxUnavailable: 1 } }]);
      const others = workloads.filter((each) => each.name !== name);
      for (const other of others) expect(selects(manifest.spec.selector, other.labels)).toBe(false);
    }
    expect(budgets).toHaveLength(deployments.length);
  });

  test('closes every pod to connections that no policy allows', () => {
    for (const { labels } of workloads) {
      const policies = list('NetworkPolicy').filter(({ spec }) =>
        selects(spec.podSelector ?? {}, labels),
      );
      expect(policies.map(({ metadata }) => metadata.name)).toContain('belfry');
    }
    const names = new Set(autoscaled.map(({ metadata }) => metadata.namespace));
    expect([...names]).toEqual(['belfry']);
  });

  test('has the Prometheus Operator scrape every gateway and worker, under the name that alerts expect', () => {
    const [service] = list('Service').filter(({ metadata }) => metadata.name === 'belfry-metrics');
    const [monitor] = list('ServiceMonitor');
    expect(selects(monitor?.spec.selector ?? {}, service?.metadata.labels ?? {})).toBe(true);
    expect(monitor?.spec.endpoints?.map(({ port }) => port)).toEqual(['metrics']);
    expect(service?.metadata.labels?.[String(monitor?.spec.jobLabel)]).toBe('belfry');
    const [{ targetPort = '' } = {}] = service?.spec.ports ?? [];
    const scraped = deployments.filter(
      ({ labels, container }) =>
        selects({ matchLabels: service?.spec.selector ?? {} }, labels) &&
        container.ports?.some(({ name }) => name === targetPort),
    );
    expect(scraped.map(({ role }) => role).sort()).toEqual(['api', ...workerRoles].sort());
  });

  test('scales the workers of each channel by its oldest due message and its backlog', () => {
    const scaled = list('ScaledObject');
    const authentications = list('TriggerAuthentication').map(({ metadata }) => metadata.name);
    expect(scaled).toHaveLength(channelNames.length);
    for (const channel of channelNames) {
      const queue = getDeliverQueue(channel);
      const workload = deployments.find(({ role }) => role === queue);
      const own = scaled.find(({ spec }) => spec.scaleTargetRef?.name === workload?.name);
      // Else each apply would undo the scaling.
      expect(workload?.manifest.spec.replicas).toBeUndefined();
      const triggers = own?.spec.triggers ?? [];
      expect(triggers.map(({ metadata }) => metadata['query'])).toEqual([
        `max(belfry_oldest_waiting_seconds{channel="${channel}"})`,
        `max(belfry_queue_jobs{queue="${queue}",state="waiting"})`,
      ]);
      for (const { type, metadata, authenticationRef } of triggers) {
        expect([type, metadata['authModes']]).toEqual(['prometheus', 'bearer']);
        expect(authentications).toContain(authenticationRef.name);
      }
    }
  });

  test('needs no other operator without the components', () => {
    const groups = new Set(basic.map(({ apiVersion }) => apiVersion));
    expect([...groups].sort()).toEqual([
      'apps/v1',
      'batch/v1',
      'networking.k8s.io/v1',
      'policy/v1',
      'v1',
    ]);
  });
});

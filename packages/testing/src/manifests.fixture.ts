import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repositoryRoot } from './test-stores';

type Labels = Record<string, string>;
type Selector = { matchLabels?: Labels };

export type EnvVar = {
  name: string;
  value?: string;
  valueFrom?: {
    secretKeyRef?: { name: string; key: string };
    fieldRef?: { fieldPath: string };
  };
};

export type Probe = { httpGet: { path: string; port: string } };

export type Container = {
  image: string;
  command: string[];
  env: EnvVar[];
  envFrom?: { configMapRef: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  lifecycle?: { preStop: { exec: { command: string[] } } };
  resources: { requests: Labels; limits: Labels };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
};

/** The members that tests read; each kind has some of them. */
export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
  data?: Record<string, string>;
  spec: {
    replicas?: number;
    selector: Selector & Labels;
    podSelector?: Selector;
    jobLabel?: string;
    ports?: { name: string; targetPort: string }[];
    endpoints?: { port: string }[];
    scaleTargetRef?: { name: string };
    triggers?: Trigger[];
    template?: { metadata: { labels: Labels }; spec: PodSpec };
  };
};

export type Trigger = {
  type: string;
  metadata: Record<string, string>;
  authenticationRef: { name: string };
};

export type PodSpec = {
  terminationGracePeriodSeconds: number;
  containers: [Container];
};

/** A Deployment or Job: its one container with the labels of its pod. */
export type Workload = {
  name: string;
  role: string;
  labels: Labels;
  manifest: Manifest;
  pod: PodSpec;
  container: Container;
};

const roleLabel = 'app.kubernetes.io/component';

const kubectl = process.env['KUBECTL_PATH'] ?? 'kubectl';

/** Kustomize 5, in kubectl 1.27 or later. Older ones lack parts of the format. */
export function hasKubectl(): boolean {
  const { stdout } = spawnSync(kubectl, ['version', '--client', '--output', 'json']);
  return /"kustomizeVersion": "v([5-9]|\d\d)/.test(String(stdout));
}

export function buildManifests(folder: string): Manifest[] {
  const place = path.join(repositoryRoot, 'deploy/kubernetes', folder);
  const text = execFileSync(kubectl, ['kustomize', place], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJS());
}

export function listWorkloads(manifests: Manifest[]): Workload[] {
  return manifests.flatMap((manifest) => {
    const { template } = manifest.spec ?? {};
    if (!template) return [];
    const { labels } = template.metadata;
    const [container] = template.spec.containers;
    const { name } = manifest.metadata;
    return [
      { name, role: labels[roleLabel] ?? '', labels, manifest, pod: template.spec, container },
    ];
  });
}

export function selects({ matchLabels = {} }: Selector, labels: Labels): boolean {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}

/** The environment of its process. Secrets get these values. */
export function readContainerEnv(
  { container, labels }: Workload,
  configuration: Record<string, string>,
  secrets: Record<string, string>,
): Record<string, string> {
  const own = container.env.map(({ name, value, valueFrom = {} }) => {
    const { fieldRef, secretKeyRef } = valueFrom;
    const label = /^metadata\.labels\['(.+)'\]$/.exec(fieldRef?.fieldPath ?? '')?.[1];
    return [name, value ?? labels[label ?? ''] ?? secrets[secretKeyRef?.key ?? ''] ?? ''];
  });
  return { ...(container.envFrom ? configuration : {}), ...Object.fromEntries(own) };
}

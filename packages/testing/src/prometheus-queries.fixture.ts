import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { repositoryRoot } from './test-stores';

/** A query of `deploy`, with the texts that show its labels. */
export type PrometheusQuery = { from: string; expr: string; texts: string[] };

export type MetricUse = { name: string; labels: string[] };

export type Alert = {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook: string };
};

export type Board = {
  schemaVersion: number;
  templating: { list: { name: string; type: string; definition?: string }[] };
  panels: Panel[];
};

export type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: unknown;
  targets?: { datasource: unknown; expr: string; legendFormat: string }[];
};

type ScaledObject = {
  kind: string;
  metadata: { name: string };
  spec: { triggers?: { metadata: { query: string } }[] };
};

export function readAlerts(): Alert[] {
  return parse(readDeployed('prometheus/alerts.yml')).groups.flatMap(
    ({ rules }: { rules: Alert[] }) => rules,
  );
}

export function readBoard(): Board {
  return JSON.parse(readDeployed('grafana/belfry.json'));
}

/** Every query of the alerts, the board and the autoscaling. */
export function listPrometheusQueries(): PrometheusQuery[] {
  return [
    ...readAlerts().map(({ alert, expr, annotations }) => ({
      from: alert,
      expr,
      texts: [annotations.summary],
    })),
    ...readBoard().panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({ from: title, expr, texts: [legendFormat] })),
    ),
    ...readScaledObjects().flatMap(({ metadata, spec }) =>
      (spec.triggers ?? []).map(({ metadata: { query } }) => ({
        from: metadata.name,
        expr: query,
        texts: [],
      })),
    ),
  ];
}

function readScaledObjects(): ScaledObject[] {
  const text = readDeployed('kubernetes/components/autoscaling/scaled-objects.yaml');
  return parseAllDocuments(text).map((document) => document.toJS());
}

function readDeployed(file: string): string {
  return readFileSync(path.join(repositoryRoot, 'deploy', file), 'utf8');
}

/** The metrics of a query, each with the labels that select from it. */
export function listMetricUses({ expr }: PrometheusQuery): MetricUse[] {
  const uses = expr.matchAll(/\b(belfry_\w+|up)\b(?:\{([^}]*)\})?/g);
  return [...uses].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label),
  }));
}

/** The labels by which a query groups or joins, or which its texts show. */
export function listSharedLabels({ expr, texts }: PrometheusQuery): string[] {
  const groups = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  const shown = texts.flatMap((text) => [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)]);
  return [...groups, ...shown.map(([, label = '']) => label)];
}

import {
  type AlertKind,
  type AlertParams,
  alertKindNames,
  findAlertParamProblems,
  getAlertKind,
} from '@belfry/shared';
import type { AlertRuleAnswer, AlertRuleBody, AlertTarget } from '../../api/alerts';

type TargetValues = { integrationId: string; to: string };

/** The texts of the form. Each kind keeps its own numbers while the operator tries kinds. */
export type RuleValues = {
  kind: AlertKind;
  channel: string;
  integrationId: string;
  /** By name and kind, so that an answer about `params.minutes` finds the field of the chosen kind. */
  params: Record<string, Record<string, string>>;
  sendBy: TargetValues;
  fallback: TargetValues;
};

export function toRuleValues(rule: AlertRuleAnswer | undefined): RuleValues {
  return {
    kind: rule?.kind ?? 'failure_rate',
    channel: rule?.channel ?? '',
    integrationId: rule?.integrationId ?? '',
    params: listParams(rule),
    sendBy: toTargetValues(rule?.sendBy),
    fallback: toTargetValues(rule?.fallback),
  };
}

function listParams(rule: AlertRuleAnswer | undefined): RuleValues['params'] {
  const params: RuleValues['params'] = {};
  for (const kind of alertKindNames) {
    for (const [name, param] of Object.entries(getAlertKind(kind).params)) {
      const stored = rule?.kind === kind ? rule.params[name] : undefined;
      params[name] = { ...params[name], [kind]: String(stored ?? param.default) };
    }
  }
  return params;
}

function toTargetValues(target: AlertTarget | null | undefined): TargetValues {
  return { integrationId: target?.integrationId ?? '', to: target?.to.join(', ') ?? '' };
}

export function toRuleBody({ kind, params, ...values }: RuleValues): AlertRuleBody {
  const names = Object.keys(getAlertKind(kind).params);
  const numbers: AlertParams = Object.fromEntries(
    names.map((name) => [name, Number(params[name]?.[kind])]),
  );
  return {
    kind,
    channel: values.channel || null,
    integrationId: values.integrationId || null,
    params: numbers,
    sendBy: toTarget(values.sendBy),
    // Its fields are hidden while nobody is chosen.
    fallback: values.sendBy.integrationId === '' ? null : toTarget(values.fallback),
  };
}

function toTarget({ integrationId, to }: TargetValues): AlertTarget | null {
  if (integrationId === '') return null;
  const recipients = to.split(/[,;\s]+/).filter(Boolean);
  return { integrationId, to: recipients };
}

/** The problem of one number as a sentence, by the rules of the server. */
export function checkNumber(kind: AlertKind, name: string, text: string): string | undefined {
  const { label } = getAlertKind(kind).params[name] ?? { label: name };
  const value = /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
  const problems = findAlertParamProblems(kind, { [name]: value });
  const problem = problems.find(({ path }) => path === `params.${name}`)?.problem;
  return problem && `${label} ${problem}.`;
}

import { explainRequest, readRequestTimeline } from '@belfry/pipeline/operate';
import { type Env, withinTime } from '@belfry/runtime';
import { isUuid } from '@belfry/shared';
import { type Command, type CommandCall, type ExitCode, exitCodes, UsageError } from './cli';
import type { Check, Finding } from './doctor-check';
import { withDatabase } from './open-database';

export type DoctorDeps = {
  /** Opened for one run and closed after it. */
  openChecks(env: Env<'cli'>): { checks: Check[]; close(): Promise<void> };
};

/** `belfry doctor` and `belfry doctor REQUEST_ID` */
export function doctorCommand({ openChecks }: DoctorDeps): Command {
  return {
    help: {
      usage: ['doctor [REQUEST_ID]'],
      summary: 'Check this installation, or explain what happened to a request',
      arguments: { REQUEST_ID: 'ID of a request: `request_id` in the response of a send.' },
      success: 'No check failed. There may be warnings.',
      failure: 'A check failed, or no request has this ID.',
      example: 'doctor 0195f3a2-7c1e-7b58-9d0a-3f6f5b2c9e11',
    },
    async run(call) {
      const [requestId, ...rest] = call.args;
      if (rest.length > 0) throw new UsageError('Enter at most one request ID.');
      return requestId === undefined ? examine(call, openChecks) : explain(call, requestId);
    },
  };
}

const checkTimeoutMs = 30_000;

async function examine(
  { env, out }: CommandCall,
  openChecks: DoctorDeps['openChecks'],
): Promise<ExitCode> {
  const { checks, close } = openChecks(env);
  try {
    const findings: Finding[] = [];
    // One after another, so that the report stops at a slow check while it runs.
    for (const check of checks) {
      const checkFindings = await examineOne(check);
      for (const finding of checkFindings) out(formatFinding(finding));
      findings.push(...checkFindings);
    }
    const failed = findings.filter(({ state }) => state === 'failed').length;
    const warned = findings.filter(({ state }) => state === 'warning').length;
    out(formatSummary(failed, warned));
    return failed === 0 ? exitCodes.ok : exitCodes.failed;
  } finally {
    await close();
  }
}

function formatSummary(failed: number, warned: number): string {
  const count = (n: number, noun: string) => (n === 0 ? [] : `${n} ${noun}${n === 1 ? '' : 's'}`);
  const counts = [count(failed, 'failure'), count(warned, 'warning')].flat();
  return counts.length === 0 ? 'No problems found.' : counts.join(', ');
}

async function examineOne({ name, examine: examineCheck }: Check): Promise<Finding[]> {
  const failed = (detail: string): Finding[] => [{ name, state: 'failed', detail }];
  const findings = await withinTime(
    examineCheck().catch((error: unknown) => failed(describe(error))),
    checkTimeoutMs,
  );
  return findings ?? failed(`No answer within ${checkTimeoutMs / 1_000} s.`);
}

/** If a host has several addresses and all refuse, Node throws an AggregateError without a message. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(describe).join(', ');
  }
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error
    ? `${error.message}: ${describe(error.cause)}`
    : error.message;
}

const marks = { ok: 'ok  ', warning: 'warn', failed: 'FAIL' } as const;
const nameWidth = 28;

function formatFinding({ name, state, detail }: Finding): string {
  return `${marks[state]}  ${name.padEnd(nameWidth)}  ${detail}`;
}

async function explain({ env, out, err }: CommandCall, requestId: string): Promise<ExitCode> {
  if (!isUuid(requestId)) {
    throw new UsageError(
      `"${requestId}" is not a request ID. Enter the UUID from the response of a send or its X-Request-Id header.`,
    );
  }
  const timeline = await withDatabase(env, ({ lookUps }) =>
    readRequestTimeline(lookUps, requestId),
  );
  if (!timeline) {
    err(
      `No request has the ID ${requestId}. Either the request was not accepted, or retention deleted it: ` +
        'after RETENTION_DAYS, or retention_days of its app.',
    );
    return exitCodes.failed;
  }
  for (const sentence of explainRequest(timeline, new Date())) out(sentence);
  return exitCodes.ok;
}

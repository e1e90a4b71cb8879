import { readRequestTimeline } from '@belfry/pipeline/operate';
import { type Env, withinTime } from '@belfry/runtime';
import { explainRequest, isUuid } from '@belfry/shared';
import { type Command, type CommandCall, type ExitCode, exitCodes } from './cli';
import type { Check, Finding } from './doctor-check';
import { withDatabase } from './open-database';

export type DoctorDeps = {
  /** Opened for one run, and closed after it. */
  openChecks(env: Env<'cli'>): { checks: Check[]; close(): Promise<void> };
};

/** `belfry doctor`, and `belfry doctor REQUEST_ID` */
export function doctorCommand({ openChecks }: DoctorDeps): Command {
  return {
    usage: 'doctor [REQUEST_ID]',
    summary: 'examine this installation, or tell what happened to a request and why',
    async run(call) {
      const { args, err } = call;
      if (args.length > 1) {
        err('Usage: belfry doctor [REQUEST_ID]');
        return exitCodes.usage;
      }
      const [requestId] = args;
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
    // One after the other, so that what is slow is seen where it is.
    for (const check of checks) {
      const checkFindings = await examineOne(check);
      for (const finding of checkFindings) out(formatFinding(finding));
      findings.push(...checkFindings);
    }
    const failed = findings.filter(({ state }) => state === 'failed').length;
    const warned = findings.filter(({ state }) => state === 'warning').length;
    out(failed + warned === 0 ? 'All is well.' : `${failed} failed, ${warned} to look at.`);
    return failed === 0 ? exitCodes.ok : exitCodes.failed;
  } finally {
    await close();
  }
}

async function examineOne({ name, examine: examineCheck }: Check): Promise<Finding[]> {
  const failed = (detail: string): Finding[] => [{ name, state: 'failed', detail }];
  const findings = await withinTime(
    examineCheck().catch((error: unknown) => failed(describe(error))),
    checkTimeoutMs,
  );
  return findings ?? failed('It did not answer in time.');
}

/** A host with several addresses that all refuse gives an error without a message. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(describe).join(', ');
  }
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error
    ? `${error.message}: ${describe(error.cause)}`
    : error.message;
}

const marks = { ok: 'ok  ', warning: 'look', failed: 'FAIL' } as const;
const nameWidth = 28;

function formatFinding({ name, state, detail }: Finding): string {
  return `${marks[state]}  ${name.padEnd(nameWidth)}  ${detail}`;
}

async function explain({ env, out, err }: CommandCall, requestId: string): Promise<ExitCode> {
  if (!isUuid(requestId)) {
    err(
      `"${requestId}" is no request id: it is a UUID, as the answer of a send and X-Request-Id have it.`,
    );
    return exitCodes.usage;
  }
  const timeline = await withDatabase(env, ({ prisma }) => readRequestTimeline(prisma, requestId));
  if (!timeline) {
    err(
      `There is no request ${requestId}. The call was not accepted, or its request was removed ` +
        'with time (RETENTION_DAYS).',
    );
    return exitCodes.failed;
  }
  for (const sentence of explainRequest(timeline, new Date())) out(sentence);
  return exitCodes.ok;
}

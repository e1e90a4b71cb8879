import { Session } from 'node:inspector/promises';
import { createBeginTrace, endCallSpan } from './call-span';

type Node = { callFrame: { functionName: string }; selfSize: number; children?: Node[] };

/** The bytes that `work` and all that it calls allocate, by V8's heap profiler with one sample per byte. */
async function countBytes(work: () => void): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: 1,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    } as { samplingInterval: number });
    work();
    const { profile } = await session.post('HeapProfiler.stopSampling');
    const worked = findNode(profile.head as Node, work.name);
    return worked ? sum(worked) : 0;
  } finally {
    session.disconnect();
  }
}

function findNode(node: Node, name: string): Node | undefined {
  if (node.callFrame.functionName === name) return node;
  for (const child of node.children ?? []) {
    const match = findNode(child, name);
    if (match) return match;
  }
  return undefined;
}

function sum({ selfSize, children = [] }: Node): number {
  return children.reduce((total, child) => total + sum(child), selfSize);
}

const calls = 1_000;

function runCalls(headers: Record<string, string>): () => void {
  const beginTrace = createBeginTrace('/v1/apps/{app_id}/events/send', undefined);
  const tracedCalls = Array.from({ length: calls }, (_, id) => ({
    id: String(id),
    startedAtMs: 0,
    traceparent: undefined,
    span: undefined,
  }));
  const request = { headers };
  const traceCall = (call: (typeof tracedCalls)[number]) => {
    beginTrace(call, request);
    endCallSpan(call, 200);
  };
  // `forEach`, because `for … of` allocates a result per step until the engine has optimized it.
  return function traceCalls() {
    tracedCalls.forEach(traceCall);
  };
}

/**
 * The bytes that each round allocates, at least: the least of up to 20 rounds. In some of them the engine allocates feedback
 * and optimized code of its own.
 */
async function countLeastBytes(work: () => void): Promise<number> {
  let least = await countBytes(work);
  for (let round = 1; round < 20 && least > 0; round += 1) {
    least = Math.min(least, await countBytes(work));
  }
  return least;
}

describe('a call while traces are off', () => {
  test('allocates nothing for them: counted in bytes', async () => {
    expect(await countLeastBytes(runCalls({ host: 'localhost' }))).toBe(0);
  });

  test('allocates only with a traceparent, which shows that bytes are counted', async () => {
    const run = runCalls({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
    expect(await countBytes(run)).toBeGreaterThan(calls * 50);
  });
});

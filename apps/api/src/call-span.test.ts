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
  return function traceCalls() {
    for (const call of tracedCalls) {
      beginTrace(call, { headers });
      endCallSpan(call, 200);
    }
  };
}

describe('a call while traces are off', () => {
  test('allocates nothing for them: counted in bytes', async () => {
    const run = runCalls({ host: 'localhost' });
    // Feedback of the engine itself is allocated in the first rounds.
    for (let round = 0; round < 20; round += 1) run();
    expect(await countBytes(run)).toBe(0);
  });

  test('allocates only with a traceparent, which shows that bytes are counted', async () => {
    const run = runCalls({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
    for (let round = 0; round < 20; round += 1) run();
    expect(await countBytes(run)).toBeGreaterThan(calls * 50);
  });
});

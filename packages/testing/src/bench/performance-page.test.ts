import { buildPerformancePage } from './performance-page';
import type { BenchReport } from './run-bench';
import type { StageTimes } from './stage-times';
import { computeSpread } from './statistics';

const figures = {
  perSecond: computeSpread([900, 1_000, 1_200]),
  p50Ms: computeSpread([5]),
  p99Ms: computeSpread([20]),
};
const latency = {
  perSecond: 25,
  sends: 300,
  p50Ms: 6,
  p99Ms: 17,
  answerP50Ms: 3,
  answerP99Ms: 9,
  backlogAtEnd: 0,
};
/** No message passed the stage. */
const noTime = { meanMs: Number.NaN, p50Ms: Number.NaN, p99Ms: Number.NaN };
const stageTime = { meanMs: 1, p50Ms: 0.8, p99Ms: 4 };
const stages: StageTimes = {
  ...{ receive: stageTime, commit: stageTime, queue: stageTime, slot: stageTime },
  ...{ relay: noTime, claim: stageTime, compose: stageTime, call: stageTime, record: stageTime },
};
const costs = { of: 1_000, statements: 0.04, redisCommands: 0.2, redisWrites: 0.1 };

const report: BenchReport = {
  send_vs_naive: 3,
  send_keyed_vs_naive: 2.3,
  send_keyed_vs_naive_fast: 1.3,
  bulk_recipients_per_s: 100_000,
  whole_system_messages_per_s: 4_000,
  delivery_vs_noop: 0.7,
  idle_p50_ms: 6,
  idle_p99_ms: 17,
  commit: '0123456789',
  startedAt: '2026-11-28T10:00:00.000Z',
  tookSeconds: 1_000,
  isQuick: false,
  machine: {
    cores: 2,
    processor: 'a processor',
    memoryMb: 4_000,
    system: 'Linux',
    node: 'v20',
    postgres: '18',
    redis: '7',
    loadBefore: 0.1,
    loadAfter: 2,
  },
  accept: {
    connections: 64,
    lines: [
      { line: 'plain', ...figures },
      { line: 'keyed', ...figures },
    ],
    ratios: {
      send_vs_naive: 3,
      send_vs_naive_fast: 1.8,
      send_keyed_vs_naive: 2.3,
      send_keyed_vs_naive_fast: 1.3,
      send_keyed_vs_by_hand: 3.4,
      keyed_p99_vs_naive: 0.2,
      keyed_p99_vs_naive_fast: 0.7,
    },
    otherConnections: [],
  },
  bulk: undefined,
  delivery: undefined,
  system: undefined,
  latency: {
    capacity: 1_800,
    idle: latency,
    halfLoad: { ...latency, p50Ms: 15, p99Ms: 68 },
    highLoad: { ...latency, p99Ms: 450 },
    stages: { idle: stages, halfLoad: stages, highLoad: stages },
  },
  costs: {
    requests: costs,
    messages: costs,
    bytes: {
      redisPerWaitingMessage: 88,
      postgresPerWaitingMessage: 1_200,
      postgresPerSentMessage: 2_000,
    },
  },
  limits: undefined,
  stored: undefined,
  scale: undefined,
  page: undefined,
  pages: undefined,
  streams: undefined,
  idle: undefined,
  pooler: undefined,
  retention: undefined,
};

describe('the performance page', () => {
  test('shows each figure with its goal, and each line with its spread', () => {
    const { text } = buildPerformancePage(report);
    expect(text).toContain('| keyed send, requests/s, relative to (a) | at least 0.9 | 2.3 |');
    expect(text).toContain('| fanout, planned/s | at least 30,000 | not measured |');
    expect(text).toContain(
      '| (c) events/send with a key | 1,000 (900-1,200) | 5 (5-5) | 20 (20-20) |',
    );
    expect(text).toContain('half load, p50, relative to idle | at most 3 | 2.5 |');
    expect(text).toContain('half load, p99, relative to idle | at most 5 | 4 |');
    expect(text).toContain('80 % load, p99 ms | under 500 | 450 |');
    expect(text).toContain('| claim | 0.8 / 4 | 0.8 / 4 | 0.8 / 4 |');
    expect(text).toContain('| relay |  |  |  |');
    expect(text).toContain('at commit 0123456789');
    expect(text).not.toMatch(/NaN|undefined/);
  });

  test('has a chart of throughput and one of latency, both linked from the text', () => {
    const { text, charts } = buildPerformancePage(report);
    for (const [name, svg] of Object.entries(charts)) {
      expect(text).toContain(`](charts/${name})`);
      expect(svg).toContain('(c) events/send with a key');
    }
    expect(Object.keys(charts)).toEqual(['throughput.svg', 'latency.svg']);
  });

  test.each([{ isQuick: true }, { accept: undefined }])(
    'cannot be built from a run with %j',
    (part) => {
      expect(() => buildPerformancePage({ ...report, ...part })).toThrow('npm run bench');
    },
  );
});

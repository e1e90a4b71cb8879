import { createOtlpCollector } from './otlp';
import { readExportedSpans } from './otlp-rules';

/** One field of a message in Protocol Buffers. */
function field(number: number, value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

function fixed64(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(9);
  bytes[0] = (number << 3) | 1;
  bytes.writeBigUInt64LE(value, 1);
  return bytes;
}

const traceId = Buffer.alloc(16, 1);
const spanId = Buffer.alloc(8, 2);
const parts = {
  traceId: field(1, traceId),
  spanId: field(2, spanId),
  name: field(5, 'POST'),
  start: fixed64(7, 1n),
  end: fixed64(8, 2n),
};

function buildExport(span: Record<string, Buffer>): Buffer {
  const attribute = Buffer.concat([field(1, 'service.name'), field(2, field(1, 'belfry'))]);
  const scoped = Buffer.concat([
    field(1, field(1, 'belfry')),
    field(2, Buffer.concat(Object.values(span))),
  ]);
  return field(1, Buffer.concat([field(1, field(1, attribute)), field(2, scoped)]));
}

describe('the simulated collector', () => {
  test('reads a span', () => {
    expect(readExportedSpans(buildExport(parts))).toMatchObject([
      {
        traceId: traceId.toString('hex'),
        spanId: spanId.toString('hex'),
        parentSpanId: undefined,
        name: 'POST',
        resource: { 'service.name': 'belfry' },
      },
    ]);
  });

  test.each([
    ['a trace ID of zeros', { traceId: field(1, Buffer.alloc(16)) }],
    ['a short span ID', { spanId: field(2, Buffer.alloc(7, 2)) }],
    ['no name', { name: Buffer.alloc(0) }],
    ['an end before its start', { end: fixed64(8, 0n), start: fixed64(7, 1n) }],
    ['an unknown field', { more: field(17, 'x') }],
    ['a field twice', { more: field(5, 'again') }],
    ['a wrong wire type', { name: fixed64(5, 1n) }],
    ['text that is not UTF-8', { name: field(5, Buffer.from([0xff])) }],
    ['an attribute twice', { more: field(9, field(1, 'a')), again: field(9, field(1, 'a')) }],
    ['a field that ends early', { more: Buffer.from([(9 << 3) | 2, 5, 1]) }],
  ])('refuses %s', (_what, change: Record<string, Buffer>) => {
    expect(() => readExportedSpans(buildExport({ ...parts, ...change }))).toThrow();
  });

  test('answers as the protocol says', async () => {
    const collector = await createOtlpCollector();
    const post = async (path: string, type: string, body: Buffer) => {
      const headers = { 'content-type': type };
      return (await fetch(collector.url + path, { method: 'POST', headers, body })).status;
    };
    const type = 'application/x-protobuf';
    try {
      expect(await post('/v1/traces', type, buildExport(parts))).toBe(200);
      expect(await post('/v1/traces', 'application/json', buildExport(parts))).toBe(415);
      expect(await post('/v1/traces', type, Buffer.from('x'))).toBe(400);
      expect(await post('/', type, buildExport(parts))).toBe(404);
      expect(collector.sends).toHaveLength(1);
    } finally {
      await collector.close();
    }
  });
});

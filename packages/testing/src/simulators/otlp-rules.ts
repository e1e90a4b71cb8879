import { type DecodedMessage, decodeMessage, type MessageSchema } from './protobuf';

// The messages of opentelemetry/proto/trace/v1/trace.proto and common.proto, version 1.
const anyValue: MessageSchema = () => ({
  1: { name: 'string', type: 'string' },
  2: { name: 'bool', type: 'bool' },
  3: { name: 'int', type: 'varint' },
  4: { name: 'double', type: 'double' },
  5: { name: 'array', type: () => ({ 1: { name: 'values', type: anyValue, isRepeated: true } }) },
  6: {
    name: 'kvlist',
    type: () => ({ 1: { name: 'values', type: keyValue, isRepeated: true } }),
  },
  7: { name: 'bytes', type: 'bytes' },
});

const keyValue: MessageSchema = () => ({
  1: { name: 'key', type: 'string' },
  2: { name: 'value', type: anyValue },
});

const attributes = { name: 'attributes', type: keyValue, isRepeated: true } as const;
const dropped = (name: string) => ({ name: `dropped_${name}_count`, type: 'varint' }) as const;

const event: MessageSchema = () => ({
  1: { name: 'time', type: 'fixed64' },
  2: { name: 'name', type: 'string' },
  3: attributes,
  4: dropped('attributes'),
});

const link: MessageSchema = () => ({
  1: { name: 'trace_id', type: 'bytes' },
  2: { name: 'span_id', type: 'bytes' },
  3: { name: 'trace_state', type: 'string' },
  4: attributes,
  5: dropped('attributes'),
  6: { name: 'flags', type: 'fixed32' },
});

const status: MessageSchema = () => ({
  2: { name: 'message', type: 'string' },
  3: { name: 'code', type: 'varint' },
});

const span: MessageSchema = () => ({
  1: { name: 'trace_id', type: 'bytes' },
  2: { name: 'span_id', type: 'bytes' },
  3: { name: 'trace_state', type: 'string' },
  4: { name: 'parent_span_id', type: 'bytes' },
  5: { name: 'name', type: 'string' },
  6: { name: 'kind', type: 'varint' },
  7: { name: 'start', type: 'fixed64' },
  8: { name: 'end', type: 'fixed64' },
  9: attributes,
  10: dropped('attributes'),
  11: { name: 'events', type: event, isRepeated: true },
  12: dropped('events'),
  13: { name: 'links', type: link, isRepeated: true },
  14: dropped('links'),
  15: { name: 'status', type: status },
  16: { name: 'flags', type: 'fixed32' },
});

const scope: MessageSchema = () => ({
  1: { name: 'name', type: 'string' },
  2: { name: 'version', type: 'string' },
  3: attributes,
  4: dropped('attributes'),
});

const scopeSpans: MessageSchema = () => ({
  1: { name: 'scope', type: scope },
  2: { name: 'spans', type: span, isRepeated: true },
  3: { name: 'schema_url', type: 'string' },
});

const resource: MessageSchema = () => ({ 1: attributes, 2: dropped('attributes') });

const resourceSpans: MessageSchema = () => ({
  1: { name: 'resource', type: resource },
  2: { name: 'scope_spans', type: scopeSpans, isRepeated: true },
  3: { name: 'schema_url', type: 'string' },
});

const exportRequest: MessageSchema = () => ({
  1: { name: 'resource_spans', type: resourceSpans, isRepeated: true },
});

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const codes = ['unset', 'ok', 'error'] as const;

type Attributes = Record<string, unknown>;

/** A span as it arrived; IDs in hex. */
export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  /** Undefined for the root of a trace. */
  parentSpanId: string | undefined;
  name: string;
  kind: (typeof kinds)[number];
  startNs: bigint;
  endNs: bigint;
  attributes: Attributes;
  status: (typeof codes)[number];
  /** Attributes of the process, such as `service.name`. */
  resource: Attributes;
};

/** Reads the spans of an export. Throws if the request breaks the protocol. */
export function readExportedSpans(body: Buffer): ReceivedSpan[] {
  return listMessages(decodeMessage(body, exportRequest), 'resource_spans').flatMap((group) => {
    const process = readAttributes(getMessage(group, 'resource'));
    if (!process['service.name']) throw new Error('The resource has no service.name');
    return listMessages(group, 'scope_spans').flatMap((scoped) => {
      if (!getMessage(scoped, 'scope')['name']) throw new Error('The scope has no name');
      return listMessages(scoped, 'spans').map((each) => readSpan(each, process));
    });
  });
}

function readSpan(message: DecodedMessage, process: Attributes): ReceivedSpan {
  const [startNs, endNs] = [readTime(message, 'start'), readTime(message, 'end')];
  if (endNs < startNs) throw new Error('A span ends before it starts');
  const name = message['name'];
  if (typeof name !== 'string' || name === '') throw new Error('A span has no name');
  const code = Number(getMessage(message, 'status')['code'] ?? 0n);
  return {
    traceId: readId(message['trace_id'], 16),
    spanId: readId(message['span_id'], 8),
    parentSpanId: message['parent_span_id'] ? readId(message['parent_span_id'], 8) : undefined,
    name,
    kind: pick(kinds, Number(message['kind'] ?? 0n)),
    startNs,
    endNs,
    attributes: readAttributes(message),
    status: pick(codes, code),
    resource: process,
  };
}

function readTime(message: DecodedMessage, name: 'start' | 'end'): bigint {
  const time = message[name];
  if (typeof time !== 'bigint' || time === 0n) throw new Error(`A span has no ${name}`);
  return time;
}

function readId(value: unknown, bytes: number): string {
  if (!Buffer.isBuffer(value) || value.length !== bytes || value.every((byte) => byte === 0)) {
    throw new Error(`An ID must have ${bytes} bytes that are not all zero`);
  }
  return value.toString('hex');
}

function pick<T>(names: readonly T[], number: number): T {
  const name = names[number];
  if (name === undefined) throw new Error(`${number} is not one of ${names.join(', ')}`);
  return name;
}

function readAttributes(message: DecodedMessage): Attributes {
  const all: Attributes = {};
  for (const { key, value } of listMessages(message, 'attributes')) {
    if (typeof key !== 'string' || key === '') throw new Error('An attribute has no key');
    if (key in all) throw new Error(`The attribute ${key} was sent twice`);
    all[key] = readAnyValue((value ?? {}) as DecodedMessage);
  }
  return all;
}

function readAnyValue(message: DecodedMessage): unknown {
  const [value, ...more] = Object.values(message);
  if (more.length > 0) throw new Error('An attribute has two values');
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Safe casts here and below: `decodeMessage` followed the schema. */
function listMessages(message: DecodedMessage, name: string): DecodedMessage[] {
  return (message[name] ?? []) as DecodedMessage[];
}

function getMessage(message: DecodedMessage, name: string): DecodedMessage {
  return (message[name] ?? {}) as DecodedMessage;
}

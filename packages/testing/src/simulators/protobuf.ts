/** The wire types of Protocol Buffers. */
const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

type Scalar = 'string' | 'bytes' | 'varint' | 'bool' | 'fixed64' | 'fixed32' | 'double';

export type MessageField = { name: string; type: Scalar | MessageSchema; isRepeated?: true };

/** The fields of a message, by number. A function, because messages can contain themselves. */
export type MessageSchema = () => Record<number, MessageField>;

export type DecodedMessage = Record<string, unknown>;

const maxVarintBytes = 10;
const maxDepth = 20;

/**
 * Decodes a message strictly: an unknown field, a wrong wire type, a repeated single field, text that is not UTF-8 and
 * missing bytes throw. 64-bit numbers are bigints.
 */
export function decodeMessage(bytes: Buffer, schema: MessageSchema, depth = 0): DecodedMessage {
  if (depth > maxDepth) throw new Error('The message is nested too deeply');
  const fields = schema();
  const message: DecodedMessage = {};
  let at = 0;
  while (at < bytes.length) {
    const tag = readVarint(bytes, at);
    at = tag.end;
    const field = fields[Number(tag.value >> 3n)];
    if (!field) throw new Error(`Field ${tag.value >> 3n} is unknown`);
    const wireType = getWireType(field.type);
    if (Number(tag.value & 7n) !== wireType) throw new Error(`${field.name} has a wrong wire type`);
    const raw = readRaw(bytes, at, wireType);
    at = raw.end;
    addValue(message, field, toValue(raw.bytes, field.type, depth));
  }
  return message;
}

function addValue(message: DecodedMessage, { name, isRepeated }: MessageField, value: unknown) {
  if (isRepeated) message[name] = [...((message[name] as unknown[]) ?? []), value];
  else if (name in message) throw new Error(`${name} was sent twice`);
  else message[name] = value;
}

function getWireType(type: MessageField['type']): number {
  if (type === 'varint' || type === 'bool') return wireTypes.varint;
  if (type === 'fixed64' || type === 'double') return wireTypes.fixed64;
  return type === 'fixed32' ? wireTypes.fixed32 : wireTypes.bytes;
}

function readRaw(bytes: Buffer, at: number, wireType: number): { bytes: Buffer; end: number } {
  if (wireType === wireTypes.varint) {
    const { end } = readVarint(bytes, at);
    return { bytes: bytes.subarray(at, end), end };
  }
  if (wireType === wireTypes.fixed64) return cut(bytes, at, 8);
  if (wireType === wireTypes.fixed32) return cut(bytes, at, 4);
  const length = readVarint(bytes, at);
  return cut(bytes, length.end, Number(length.value));
}

function cut(bytes: Buffer, at: number, length: number): { bytes: Buffer; end: number } {
  if (at + length > bytes.length) throw new Error('The message ends within a field');
  return { bytes: bytes.subarray(at, at + length), end: at + length };
}

function readVarint(bytes: Buffer, at: number): { value: bigint; end: number } {
  let value = 0n;
  for (let index = 0; index < maxVarintBytes; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) throw new Error('The message ends within a number');
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value, end: at + index + 1 };
  }
  throw new Error('A number has more than 10 bytes');
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function toValue(raw: Buffer, type: MessageField['type'], depth: number): unknown {
  if (typeof type === 'function') return decodeMessage(raw, type, depth + 1);
  switch (type) {
    case 'string':
      return strictUtf8.decode(raw);
    case 'bytes':
      return raw;
    case 'varint':
      return readVarint(raw, 0).value;
    case 'bool':
      return readVarint(raw, 0).value !== 0n;
    case 'fixed64':
      return raw.readBigUInt64LE();
    case 'fixed32':
      return raw.readUInt32LE();
    case 'double':
      return raw.readDoubleLE();
  }
}

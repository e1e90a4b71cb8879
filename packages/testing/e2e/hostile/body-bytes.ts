import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { buildBody, changed, type KnownTexts, type Schema } from './bodies';
import { formatTree } from './json-tree';

/** The bytes of a body that its schema accepts, or nearly; some are not JSON. */
export function buildBodyBytes(schema: Schema, knownTexts: KnownTexts): fc.Arbitrary<Buffer> {
  const texts = changed(buildBody(schema, knownTexts)).map(formatTree);
  return fc.oneof(
    { weight: 20, arbitrary: texts.map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: fc.tuple(texts, distortion).map(([text, distort]) => distort(text)) },
    { weight: 1, arbitrary: bytes },
  );
}

export const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 200 })
  .map((array) => Buffer.from(array));

type Distortion = (text: string) => Buffer;

const fixedDistortions: Distortion[] = [
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(text, 'latin1'),
  (text) => Buffer.from(text + text),
  (text) => Buffer.from(`${text} //`),
  (text) => Buffer.from(`${' '.repeat(100_000)}${text}`),
  (text) => Buffer.from(JSON.stringify(text)),
  (text) => Buffer.from(`)]}',\n${text}`),
  (text) => gzipSync(text),
  (text) => gzipSync(Buffer.alloc(20_000_000, 0x20)).subarray(0, 20_000 + text.length),
  (text) => deflateSync(text),
  () => Buffer.from('['.repeat(10_000)),
  () => Buffer.from('{"a":'.repeat(40_000)),
];

const distortion: fc.Arbitrary<Distortion> = fc.oneof(
  fc.constantFrom(...fixedDistortions),
  fc.nat().map(
    (at): Distortion =>
      (text) =>
        Buffer.from(text.slice(0, at % (text.length + 1))),
  ),
  fc.tuple(fc.nat(), bytes).map(
    ([at, put]): Distortion =>
      (text) => {
        const cut = at % (text.length + 1);
        return Buffer.concat([Buffer.from(text.slice(0, cut)), put, Buffer.from(text.slice(cut))]);
      },
  ),
);

import type { Data, Json } from '@belfry/shared';

/** The maximum data of a call as JSON; see `limits.dataBytes` of the wire schemas. The remainder is for the names. */
const maxDataBytes = 256 * 1024 - 2_048;

/** A call has at most 2,000 keys, and 32 levels of objects and lists. */
const mostKeys = 1_900;

/** Characters that grow when they are escaped, change case or become JSON, or that take more than one UTF-16 unit. */
export const expensiveCharacters = [
  'a',
  'ß',
  'İ',
  'ŉ',
  '&',
  '"',
  '<',
  '\\',
  '\u0001',
  '🎉',
  '*',
  '\n',
];

type Shape = (fill: Fill) => Record<string, Json>;
type Fill = {
  /** A list of `make(index)` that takes this share of the bytes. */
  list(share: number, make: (index: number) => Json): Json[];
  text(share: number): string;
};

/** Each shape takes all of the bytes. Every name that templates read is in at least one of them, or absent. */
export const dataShapes: Record<string, Shape> = {
  zeros: ({ list }) => ({ list: list(0.95, () => 0), sep: 's' }),
  'zeros and a separator': ({ list, text }) => ({ list: list(0.8, () => 0), sep: text(0.15) }),
  'short list, long separator': ({ list, text }) => ({ list: list(0.1, () => 0), sep: text(0.85) }),
  text: ({ text }) => ({ text: text(0.9), sep: ', ', list: ['a', 'b'] }),
  texts: ({ list, text }) => ({ list: list(0.9, () => text(0.001)), sep: text(0.01) }),
  objects: ({ list }) => ({ items: list(0.95, () => ({})), list: [1, 2, 3] }),
  items: ({ list, text }) => ({
    items: list(0.9, (index) => ({ name: text(0.9 / 600), n: index, at: index * 86_400_000 })),
  }),
  rows: ({ list }) => ({ rows: list(0.9, () => Array<number>(300).fill(1)), list: [1] }),
  wide: ({ text }) => ({
    wide: Object.fromEntries(
      Array.from({ length: mostKeys }, (_, index) => [`k${index}`, text(0.9 / mostKeys)]),
    ),
  }),
  deep: ({ list, text }) => ({
    deep: nest(
      list(0.4, () => 7),
      28,
    ),
    text: text(0.3),
  }),
  dates: ({ list }) => ({ list: list(0.9, (index) => 1.7e12 + index * 86_400_000), at: 1.7e12 }),
  numbers: ({ list }) => ({ list: list(0.9, (index) => index * 1_234.5678), n: 1e15 + 0.3 }),
};

/** Small values for every name, so that no template fails only because of a missing value. */
const common: Data = {
  list: [1, 2, 3],
  items: [{ name: 'Ana', n: 1, at: 1.7e12 }],
  rows: [[1, 2]],
  wide: { k0: 1, k1: 2 },
  deep: { a: { a: { a: 1 } } },
  text: 'text',
  sep: ', ',
  n: 1_234.5,
  at: 1.7e12,
};

export function createData(shape: string, size: number, character: string): Data {
  const create = dataShapes[shape];
  if (!create) throw new Error(`Unknown shape ${shape}`);
  const bytes = maxDataBytes * size;
  const text = (share: number) => {
    const each = Buffer.byteLength(JSON.stringify(character)) - 2;
    return character.repeat(Math.floor((bytes * share) / each));
  };
  const list = (share: number, make: (index: number) => Json) => {
    const items: Json[] = [];
    let left = bytes * share;
    for (let index = 0; left > 0; index += 1) {
      const item = make(index);
      left -= Buffer.byteLength(JSON.stringify(item)) + 1;
      if (left > 0) items.push(item);
    }
    return items;
  };
  return { ...common, ...create({ list, text }) };
}

function nest(value: Json, levels: number): Json {
  return levels === 0 ? value : { a: nest(value, levels - 1) };
}

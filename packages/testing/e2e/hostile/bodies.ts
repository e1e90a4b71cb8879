import fc from 'fast-check';
import { changeAt, countParts, formatTree, listChildren, type Tree, toTree } from './json-tree';

/** The subset of JSON Schema that the API uses. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly maxLength?: number;
};

/** Valid values by member name, such as the name of a live event. */
export type KnownTexts = Readonly<Record<string, readonly string[]>>;

/** Builds a body that its schema accepts, or nearly: formats of texts are left to chance. */
export function buildBody(schema: Schema, knownTexts: KnownTexts): fc.Arbitrary<Tree> {
  const makers: Readonly<Record<string, (part: Schema, name: string) => fc.Arbitrary<Tree>>> = {
    object: buildObject,
    array: buildArray,
    string: buildText,
    boolean: () => mapToTree(fc.boolean()),
    number: () => mapToTree(fc.oneof(fc.integer(), fc.double({ noNaN: true }))),
    integer: () => mapToTree(fc.integer()),
  };
  return buildPart('body', schema);

  function buildPart(name: string, part: Schema): fc.Arbitrary<Tree> {
    if (typeof part.type === 'object') return schedule;
    const texts = knownTexts[name];
    if (texts) return mapToTree(fc.constantFrom(...texts));
    return makers[part.type ?? '']?.(part, name) ?? anyJson;
  }

  function buildArray({ items }: Schema, name: string): fc.Arbitrary<Tree> {
    const element = items ? buildPart(name, items) : anyJson;
    return fc.array(element, { minLength: 1, maxLength: 4 }).map((all) => ({ items: all }));
  }

  function buildObject({ properties, required = [], ...rest }: Schema): fc.Arbitrary<Tree> {
    const [patternSchema] = Object.values(rest.patternProperties ?? {});
    const otherMembers = patternSchema ?? rest.additionalProperties;
    if (!properties)
      return buildRecord(typeof otherMembers === 'object' ? otherMembers : undefined);
    const members = Object.entries(properties).map(([name, member]) => {
      const entries = buildPart(name, member).map((tree) => [[name, tree] as const]);
      if (required.includes(name)) return entries;
      return fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: entries });
    });
    return fc.tuple(...members).map((memberLists) => ({ members: memberLists.flat() }));
  }

  function buildRecord(part: Schema | undefined): fc.Arbitrary<Tree> {
    const member = part ? buildPart('', part) : anyJson;
    return fc
      .array(fc.tuple(memberName, member), { maxLength: 4 })
      .map((members) => ({ members: members.map(([key, tree]) => [plainKey(key), tree]) }));
  }
}

function plainKey(key: string): string {
  return key.replaceAll('"', '');
}

function mapToTree(values: fc.Arbitrary<unknown>): fc.Arbitrary<Tree> {
  return values.map(toTree);
}

const names = ['name', 'sms', 'email', 'push', 'data', 'user', 'a.b', '', 'toString', '0', '-1'];

const memberName = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, fc.string());

const plausible = [
  ...['', ' ', 'u1', 'u2', 'ana@example.com', '+12025550123', '0049 (30) 123', 'C012345678', 'de'],
  ...['android', 'IOS', 'xoxb-1', '********', 'token-1', 'token-2', '{{name}}', '@channel', '.'],
];

function buildText({ maxLength = 64 }: Schema): fc.Arbitrary<Tree> {
  const longest = fc.constantFrom(maxLength, maxLength + 1).map((length) => 'x'.repeat(length));
  return mapToTree(
    fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom(...plausible) },
      { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
      { weight: 1, arbitrary: longest },
    ),
  );
}

const anyJson = mapToTree(fc.jsonValue({ maxDepth: 4 }));

/** Now, and the edges of every calendar that a date parser may use. */
const schedule = mapToTree(
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(0, '0', '', '2001-01-01T00:00:00Z') },
    fc.constantFrom(
      ...[0, -1, 1, 1e11 - 1, 1e11, 1e14, 1e14 + 1, 8.64e15, 8.64e15 + 1, 253402300800000, 0.5],
      ...[-8.64e15, 1e21, '0', '1e3', '99999999999999999999', '+275760-09-13T00:00:00Z', 'now'],
      ...['-000001-01-01T00:00:00Z', '0000-00-00', '2026-02-30', '2028-02-29T24:00:00Z', '24:00'],
      ...['2026-12-31T23:59:60Z', '2027-01-01T00:00:00+99:99', '9999-12-31', '2026-1-1', 'Z', ' '],
    ),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.integer({ min: 0, max: 2 ** 45 }),
    fc.string({ maxLength: 70 }),
  ),
);

/** Half of the bodies are unchanged. The others have up to four changed parts. */
export function changed(bodies: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> {
  const steps = fc.oneof(
    fc.constant([]),
    fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 4 }),
  );
  return fc
    .tuple(bodies, steps)
    .map(([body, changes]) =>
      changes.reduce((tree, [at, apply]) => changeAt(tree, at % countParts(tree), apply), body),
    );
}

/** JSON text, valid or nearly so. */
const leaves = [
  ...['null', 'true', '0', '-0', '-1', '0.1', '1e400', '-1e400', '1e-400', '1.8e308', '5e-324'],
  ...['9007199254740991', '9007199254740993', '-12345678901234567890', '2147483648', '1E3'],
  ...['01', '+1', '.5', '1.', '0x10', 'NaN', 'Infinity', 'undefined', "'a'", '"open', '', ',', ':'],
  ...[
    '""',
    '" "',
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00a"',
    '"a\\ud83d"',
    '"\\ud83d\\ude00"',
    '"\\x"',
  ],
  ...['"\u0001"', '"\u007f"', '"\\uffff"', '"\\u202e"', '"\ufeff"', '"a\\r\\nBcc: x@example.com"'],
  ...['"{{#each a}}"', '"{{{{"', '"<!channel>"', '"../../etc"', '"%00"', '"\' OR 1=1 --"', '"$1"'],
  ...['"__proto__"', '[]', '{}', '[[]]', '[null]', '{"":""}', '{"a":1,"a":2}', '[1,]', '{"a"}'],
  ...['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}', '{"\\u005f_proto__":1}'],
  ...['{"toString":1,"hasOwnProperty":2,"valueOf":3,"length":4,"then":5,"toJSON":6}'],
];

const keys = [
  ...['__proto__', 'constructor', 'prototype', '"\\u005f_proto__"', '"\\u0000"', '"\\ud800"', ''],
  ...[
    'toString',
    'hasOwnProperty',
    'length',
    'then',
    'toJSON',
    'batch',
    'data',
    'user',
    'override',
  ],
  ...['event', 'user_id', '$ref', '$where', 'a\nb', '0', '\u2028', 'x'.repeat(5_000)],
];

const length = fc.constantFrom(255, 256, 300, 5_000, 70_000, 300_000);
const unit = fc.constantFrom('a', 'é', '✓', '😀', '\\u0041', '\\n', ' ', '{{a}}', '<', ',');
const longText = fc.tuple(unit, length).map(([one, times]) => ({ text: `"${one.repeat(times)}"` }));
const leaf = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...leaves).map((text) => ({ text })) },
  { weight: 1, arbitrary: longText },
  { weight: 2, arbitrary: anyJson },
);
const nesting = fc.constantFrom(1, 2, 27, 31, 32, 33, 40, 10_000, 40_000);
const times = fc.constantFrom(2, 10, 101, 1_001, 2_001);

type Change = (part: Tree) => Tree;

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: leaf.map(
      (put): Change =>
        () =>
          put,
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...keys), leaf).map(
      ([key, value]): Change =>
        (part) =>
          withMember(part, [key, value]),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.nat().map(
      (at): Change =>
        (part) =>
          without(part, at),
    ),
  },
  {
    weight: 1,
    arbitrary: nesting.map(
      (levels): Change =>
        (part) =>
          nest(part, levels),
    ),
  },
  {
    weight: 1,
    arbitrary: times.map(
      (count): Change =>
        (part) =>
          repeat(part, count),
    ),
  },
);

function withMember(part: Tree, member: readonly [string, Tree]): Tree {
  if ('members' in part) return { members: [...part.members, member] };
  if ('items' in part) return { items: [...part.items, member[1]] };
  return { members: [member] };
}

function without(part: Tree, at: number): Tree {
  const isLeft = (_: unknown, index: number, all: readonly unknown[]) => index !== at % all.length;
  if ('members' in part) return { members: part.members.filter(isLeft) };
  return 'items' in part ? { items: part.items.filter(isLeft) } : { text: 'null' };
}

/** Nests arrays, or objects if the number is odd. */
function nest(part: Tree, levels: number): Tree {
  // Built as text: a tree would be too deep for the recursive functions here.
  const [open, close] = levels % 2 === 0 ? ['[', ']'] : ['{"a":', '}'];
  const core = 'text' in part ? part.text : '0';
  return { text: open.repeat(levels) + core + close.repeat(levels) };
}

/** Repeats less often where the body would exceed the size limit. */
function repeat(part: Tree, times: number): Tree {
  const one = getFirst(part);
  const count = Math.min(times, Math.ceil(maxRepeatedCharacters / formatTree(one).length));
  if ('items' in part) return { items: Array(count).fill(one) };
  return { members: Array.from({ length: count }, (_, index) => [`k${index}`, one] as const) };
}

const maxRepeatedCharacters = 1_000_000;

function getFirst(part: Tree): Tree {
  const [first] = listChildren(part);
  const isWritten = first !== undefined && formatTree(first) !== '';
  return isWritten ? first : { text: '0' };
}

import type { Data, Json } from '@belfry/shared';

const maxSteps = 12;
const listLength = 2;

/** Generates data with a value at every path that templates read, such as `order.items[].name`. */
export function createSample(paths: readonly string[]): Data {
  const root = new Map<string, Node>();
  for (const path of paths) addPath(root, path);
  return Object.fromEntries([...root].map(([name, node]) => [name, createValue(name, node)]));
}

type Node = { members: Map<string, Node>; isList: boolean };

function addPath(root: Map<string, Node>, path: string): void {
  let level = root;
  const steps = path.split('.').slice(0, maxSteps);
  for (const step of steps) {
    const name = step.replace(/(?<!\[\])(?:\[\])+$/, '');
    // The path of the whole data, or a forbidden name.
    if (name === '' || name === 'this' || name === '__proto__') return;
    const node: Node = level.get(name) ?? { members: new Map(), isList: false };
    node.isList ||= step.endsWith('[]');
    level.set(name, node);
    level = node.members;
  }
}

function createValue(name: string, { members, isList }: Node): Json {
  const one = (): Json =>
    members.size === 0
      ? createLeaf(name)
      : Object.fromEntries(
          [...members].map(([member, node]) => [member, createValue(member, node)]),
        );
  return isList ? Array.from({ length: listLength }, one) : one();
}

/** A plausible value for the name. */
function createLeaf(name: string): Json {
  const leaf = leaves.find(([pattern]) => pattern.test(name));
  return leaf ? leaf[1] : name.replaceAll('_', ' ');
}

const leaves: readonly [RegExp, Json][] = [
  [/(_at|_on|date|time|eta)$/i, 1_763_035_200_000],
  [/(url|link|href|image)$/i, 'https://example.com/sample'],
  [/e?mail$/i, 'ana@example.com'],
  [/(phone|mobile)$/i, '+12025550123'],
  [/(price|amount|total|cost)$/i, 34.5],
  [/(count|quantity|qty|number|minutes|hours|days)$/i, 2],
  [/^(is|has|can)[A-Z_]|^ok$/, true],
  [/code$/i, '441903'],
  [/id$/i, 'A-1001'],
  [/name$/i, 'Ana'],
];

/** A recipient with an address on every channel. */
export const sampleUser = {
  user_id: 'customer-1',
  email: 'ana@example.com',
  mobile: '+12025550123',
  whatsapp_mobile: '+12025550123',
  slack: { channel_id: 'C012345678' },
  telegram: { chat_id: '55510142' },
  onesignal_external_id: 'customer-1',
  fcm_tokens: ['sample-token'],
};

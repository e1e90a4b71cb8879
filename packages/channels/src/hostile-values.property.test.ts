import { isFullRun, readRunSeed } from '@belfry/testing';
import fc from 'fast-check';
import type { CompiledTemplate, Sender } from './channel';
import { hostileCases } from './hostile-cases.fixture';
import type { HostileCase } from './hostile-changes.fixture';
import {
  anyHostileValue,
  benignValue,
  dataWith,
  hostileValues,
  printed,
} from './hostile-values.fixture';
import { inbox } from './in-app/inbox';
import { closers, deps, type Stage } from './provider-subject.fixture';
import { listProviders, subjects } from './provider-subjects.fixture';
import { channels } from './registry';

const deadlineMs = 10_000;
/** Each combination sends a whole message to a simulator. */
const combinations = isFullRun() ? 500 : 15;
const seed = readRunSeed(20_260_417);

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('every provider of the registry is tested with hostile values', () => {
  expect([...new Set(hostileCases.map(({ provider }) => provider))].sort()).toEqual(
    listProviders().sort(),
  );
});

describe.each(hostileCases.map((one) => [`${one.provider}, ${one.what}`, one] as const))(
  '%s',
  (_name, one) => {
    test('each hostile value stays in its place, and is shown unchanged', async () => {
      const stage = await setUp(one);
      for (const value of hostileValues) await stage.expectInPlace(value);
    });

    test(`so do combinations of them (seed ${seed})`, async () => {
      const stage = await setUp(one);
      await fc.assert(fc.asyncProperty(anyHostileValue, stage.expectInPlace), {
        seed,
        numRuns: combinations,
      });
    });
  },
);

async function setUp(one: HostileCase) {
  const stage = await startStage(one.provider);
  const compiled = compile(one);

  async function deliver(value: unknown): Promise<unknown> {
    const { target } = stage.call;
    const composed = compiled.compose({
      data: dataWith(value),
      target,
      override: undefined,
      missing: 'empty',
      isSensitive: false,
    });
    if ('failed' in composed) return { failed: composed.failed };
    const before = stage.sends().length;
    const signal = AbortSignal.timeout(deadlineMs);
    const call = { ...stage.call, content: composed.content, signal };
    const { outcome } = await stage.sender.send({ ...call, deadlineAt: Date.now() + deadlineMs });
    expect(outcome).toMatchObject({ outcome: 'accepted' });
    expect(stage.sends()).toHaveLength(before + 1);
    // A send is what this provider's simulator recorded.
    return one.read(stage.sends().at(-1) as never);
  }

  const benign = await deliver(benignValue);
  return {
    async expectInPlace(value: unknown): Promise<void> {
      const places = one.places ?? [];
      const expected = putInPlace(benign, printed(value), places);
      expect(await deliver(value)).toEqual(isTooLong(expected, places) ? tooLong : expected);
    },
  };
}

function compile({ provider, template }: HostileCase): CompiledTemplate<unknown, unknown> {
  const [name = ''] = provider.split('/');
  const channel = Object.entries(channels).find(([each]) => each === name)?.[1];
  if (!channel) throw new Error(`No channel ${name}`);
  // The template of a case fits its channel.
  return channel.compile(template as never);
}

type SendingStage = Pick<Stage, 'sender' | 'call' | 'sends'>;

async function startStage(provider: string): Promise<SendingStage> {
  return subjects[provider]?.start() ?? startInbox();
}

/** The inbox has no simulator: the stored item is in the result. */
function startInbox(): SendingStage {
  const sends: unknown[] = [];
  const sender: Sender<unknown> = inbox.createSender(deps);
  return {
    sender: {
      ...sender,
      async send(call) {
        const result = await sender.send(call);
        sends.push(result.inboxItem);
        return result;
      },
    },
    call: {
      messageId: '0193-inbox',
      target: 'ada',
      content: undefined,
      settings: {},
      integrationId: 'i5',
      integrationVersion: '1',
      credentials: {},
    },
    sends: () => sends,
  };
}

type Places = NonNullable<HostileCase['places']>;

/** The benign message with the value in its places, and nothing else changed. */
function putInPlace(benign: unknown, value: string, places: Places, path = ''): unknown {
  if (typeof benign === 'string') {
    if (!benign.includes(benignValue)) return benign;
    const { value: change = same, changeText = same } = findPlace(places, path);
    return changeText(benign.replaceAll(benignValue, () => change(value)));
  }
  if (Array.isArray(benign)) {
    return benign.map((each, index) => putInPlace(each, value, places, `${path}.${index}`));
  }
  if (typeof benign !== 'object' || benign === null || benign instanceof Date) return benign;
  return Object.fromEntries(
    Object.entries(benign).map(([name, each]) => [
      name,
      putInPlace(each, value, places, `${path}.${name}`),
    ]),
  );
}

const tooLong = { failed: 'too_long' };

function isTooLong(message: unknown, places: Places, path = ''): boolean {
  if (typeof message === 'string') {
    const { maxCharacters = Number.POSITIVE_INFINITY } = findPlace(places, path);
    return message.length > maxCharacters;
  }
  if (typeof message !== 'object' || message === null) return false;
  return Object.entries(message).some(([name, each]) => isTooLong(each, places, `${path}.${name}`));
}

function findPlace(places: Places, path: string): Places[number] {
  return places.find(({ at }) => at.test(path.slice(1))) ?? { at: /^/ };
}

const same = (text: string): string => text;

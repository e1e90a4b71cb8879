import fc from 'fast-check';
import { bodies, type SendBody, validBodies } from './same-verdict/bodies';
import { type Entries, startEntries, type Verdict } from './same-verdict/entries';

/** Bodies in flight: one alone leaves all processes idle while it waits for its fan-out. */
const groupSize = 5;
const numRuns = (process.env['TEST_FULL'] ? 1_000 : 50) / groupSize;
jest.setTimeout(600_000);

let entries: Entries;

beforeAll(async () => {
  entries = await startEntries();
}, 120_000);
afterAll(() => entries.stop(), 120_000);

async function judgeByAll(body: SendBody): Promise<Record<string, Verdict>> {
  const { send, bulkElement, dryRun, testSend } = entries;
  const [bySend, byBulk, byDryRun, byTest] = await Promise.all(
    [send, bulkElement, dryRun, testSend].map((judge) => judge(body)),
  );
  return { send: bySend!, bulkElement: byBulk!, dryRun: byDryRun!, testSend: byTest! };
}

async function expectSame(body: SendBody): Promise<Verdict> {
  const { send, ...others } = await judgeByAll(body);
  expect(others).toEqual({ bulkElement: send, dryRun: send, testSend: send });
  return send!;
}

const listBodies = (body: fc.Arbitrary<SendBody>) =>
  fc.array(body, { minLength: groupSize, maxLength: groupSize });

test('single send, bulk element, dry run and test send accept a valid body alike, and plan the same', async () => {
  await fc.assert(
    fc.asyncProperty(listBodies(validBodies), async (group) => {
      const verdicts = await Promise.all(group.map(expectSame));
      for (const verdict of verdicts) expect(verdict).toHaveProperty('planned');
    }),
    { numRuns },
  );
});

test('they refuse an invalid body alike, with the same error texts', async () => {
  const counts = { accepted: 0, refused: 0 };
  // The only difference: a bulk element without a user is refused.
  const bodiesWithUser = bodies.filter(({ user }) => user !== undefined && user !== null);
  await fc.assert(
    fc.asyncProperty(listBodies(bodiesWithUser), async (group) => {
      for (const verdict of await Promise.all(group.map(expectSame))) {
        counts['planned' in verdict ? 'accepted' : 'refused'] += 1;
      }
    }),
    { numRuns: 2 * numRuns },
  );
  expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan((groupSize * numRuns) / 10);
});

test('an empty user_id counts as unset: the skip reason is the missing address', async () => {
  expect(await expectSame({ user: { user_id: '' } })).toMatchObject({
    planned: { messages: [], skips: { email: { reason: 'no_address' } } },
  });
});

test('a missing user is skipped everywhere but in a bulk element, which is refused', async () => {
  for (const body of [{}, { user: null }]) {
    const { send, bulkElement, ...others } = await judgeByAll(body);
    expect(others).toEqual({ dryRun: send, testSend: send });
    expect(send).toMatchObject({ planned: { skips: { email: { reason: 'no_recipient' } } } });
    expect(bulkElement).toMatchObject({ status: 422, errors: ['user must not be null'] });
  }
});

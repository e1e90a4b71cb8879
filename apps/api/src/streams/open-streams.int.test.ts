import {
  createStatementCounter,
  eventually,
  type ReaderSecret,
  type StatementCounter,
  testDatabase,
} from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';
import { createSignedReader, type Followed } from './follow.fixture';

jest.setTimeout(60_000);

let statements: StatementCounter;
let gateway: StoredGateway;
let secret: ReaderSecret;
const open: Followed[] = [];

beforeAll(async () => {
  statements = await createStatementCounter((await testDatabase()).url);
  gateway = await createStoredGateway({
    env: { DATABASE_URL: statements.url, LOOKUP_CACHE_MS: '5000' },
  });
  secret = await gateway.factories.createInboxSecret(gateway.tenant);
});

afterAll(async () => {
  for (const followed of open) followed.close();
  await gateway.close();
  await statements.close();
});

async function openStream(): Promise<void> {
  const followed = await createSignedReader(gateway, gateway.tenant.appId, { secret }).follow();
  open.push(followed);
  await followed.waitForEvents(1);
}

/** The statements of `work`, without the polls, whose number depends on time. */
async function readStatements(work: () => Promise<unknown>): Promise<string[]> {
  const texts = await statements.during(work);
  return texts.filter(
    (text) => !text.includes('FROM unnest($1::uuid[], $2::text[], $3::float8[])'),
  );
}

test('each reader that comes back after a restart costs one statement: its news', async () => {
  // Fills the caches of the app and its secrets.
  await openStream();
  const readers = 40;
  const texts = await readStatements(() =>
    Promise.all(Array.from({ length: readers }, () => openStream())),
  );
  expect(texts.filter((text) => text.includes('facts AS MATERIALIZED'))).toHaveLength(readers);
  // The caches are filled again when they are over 5 s old.
  expect(texts.length).toBeLessThan(readers + 10);
  await eventually(async () =>
    expect(await gateway.readMetrics()).toMatch(/^belfry_inbox_streams 41$/m),
  );
});

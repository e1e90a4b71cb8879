import type { Difference } from './check-statement.fixture';
import { compareTypes } from './compare-types.fixture';
import { exceptions } from './exceptions.fixture';
import {
  containsFragments,
  findStatements,
  listTriedSources,
  withoutBlanks,
} from './find-statements.fixture';
import { describeStatements } from './sql-types.fixture';
import { typeExceptions } from './type-exceptions.fixture';
import { useAlerts } from './use-alerts.fixture';
import { useConfiguration } from './use-configuration.fixture';
import * as dashboard from './use-dashboard.fixture';
import * as deliver from './use-deliver.fixture';
import * as gateway from './use-gateway.fixture';
import * as operate from './use-operate.fixture';
import * as preferences from './use-preferences.fixture';
import * as queues from './use-queues.fixture';
import * as relay from './use-relay.fixture';
import * as upkeep from './use-upkeep.fixture';
import * as webhooks from './use-webhooks.fixture';
import { createWorld, type World } from './world.fixture';

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await useAll();
}, 300_000);

afterAll(() => world.close());

async function useAll(): Promise<void> {
  await dashboard.useOperators(world);
  await dashboard.useTotp(world);
  await dashboard.useAccount(world);
  await dashboard.useInboxSecrets(world);
  await gateway.useUsers(world);
  await gateway.useLookUps(world);
  await gateway.useSends(world);
  await preferences.useCategories(world);
  const [messageId = ''] = await deliver.useClaims(world);
  await gateway.useReceipts(world, messageId);
  await gateway.useReplies(world);
  await gateway.useCaptures(world, messageId);
  await deliver.useDataChanges(world);
  await gateway.useInbox(world, await deliver.useInApp(world));
  await relay.useRelay(world);
  await relay.useFanOut(world);
  await operate.useLog(world, messageId);
  await operate.useWaits(world);
  await operate.useCapturePages(world);
  await preferences.usePreferences(world);
  await dashboard.useIntegrations(world);
  await dashboard.useEvents(world);
  await dashboard.usePeopleOfApp(world);
  await queues.useQueues(world);
  await queues.useOverview(world);
  await useAlerts(world);
  await operate.useResends(world);
  await operate.useMetadata(world);
  await operate.useCancels(world);
  await webhooks.useWebhooks(world);
  await useConfiguration(world);
  await upkeep.useInstallation(world);
  await upkeep.useErasure(world);
  await upkeep.useUpkeep(world);
  await upkeep.useKeyRing(world);
}

test('no statement reads or changes rows of another account', () => {
  const leaks = world.watched.differences.filter((each) => !isExcepted(each));
  const lines = leaks.map(({ place, text, what }) => `${place} ${text.slice(0, 100)}\n  ${what}`);
  refuse(
    lines,
    'Add the app or account to the statement, or the statement to exceptions.fixture.ts',
  );
});

test('own rows of every table that a statement reads make a difference to it', () => {
  const lines = [...world.watched.reads.values()]
    .filter((each) => !isExcepted({ ...each, kind: 'presence', foreign: [] }))
    .flatMap(({ place, text, indifferent }) =>
      [...indifferent].map((table) => `${table} in ${place} ${text.slice(0, 100)}`),
    );
  refuse(lines, 'Call it in a use-*.fixture.ts where own rows of the table matter');
});

test('every exception is needed', () => {
  const unused = exceptions.flatMap(({ kind, statements }) =>
    statements.filter(
      (statement) =>
        !world.watched.differences.some(
          (each) => each.kind === kind && matchesStatement(each, statement),
        ),
    ),
  );
  refuse(unused, 'Remove it from exceptions.fixture.ts');
});

test('every statement of the sources is tried where it finds rows', () => {
  const { places, texts } = world.watched;
  const missing = findStatements().filter(({ place, fragments }) =>
    fragments ? ![...texts].some((text) => containsFragments(text, fragments)) : !places.has(place),
  );
  const lines = missing.map(({ place, fragments = [] }) => `${place} ${fragments.join(' … ')}`);
  refuse(lines, 'Call it in a use-*.fixture.ts, so that it finds or changes a row');
});

test('every statement has the types of parameters and rows that its source declares', async () => {
  const { url, watched } = world;
  const described = await describeStatements(url, watched.sent, listTriedSources());
  const differences = described.flatMap((statement) => {
    const { place, text } = statement.sent;
    return compareTypes(statement).map((what) => ({ place, text: withoutBlanks(text), what }));
  });
  const unused = new Set(typeExceptions);
  const lines = differences.flatMap((each) => {
    const exception = typeExceptions.find(
      ({ statement, difference }) =>
        each.what.startsWith(difference) && matchesStatement(each, statement),
    );
    if (exception) unused.delete(exception);
    return exception ? [] : [`${each.place} ${each.text.slice(0, 100)}\n  ${each.what}`];
  });
  refuse(lines, 'Correct the statement, or the type beside it');
  refuse(
    [...unused].map(({ statement, difference }) => `${statement}: ${difference}`),
    'Remove it from type-exceptions.fixture.ts',
  );
}, 60_000);

function isExcepted(difference: Omit<Difference, 'what'>): boolean {
  return exceptions.some(
    ({ kind, statements, onlyRows = '' }) =>
      kind === difference.kind &&
      statements.some((statement) => matchesStatement(difference, statement)) &&
      difference.foreign.every((row) => row.includes(onlyRows)),
  );
}

/** The format is `claim.ts: WITH due … FROM message`. */
function matchesStatement(
  { place, text }: Pick<Difference, 'place' | 'text'>,
  statement: string,
): boolean {
  const [file, ...words] = statement.split(': ');
  const fragments = words.join(': ').split(' … ');
  const isThere = place.startsWith(`${file}:`) && text.startsWith(fragments[0] ?? '');
  return isThere && containsFragments(text, fragments);
}

function refuse(lines: string[], advice: string): void {
  if (lines.length > 0) throw new Error([`${advice}:`, ...new Set(lines)].join('\n'));
}

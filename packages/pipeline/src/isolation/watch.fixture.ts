import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import type { Database } from '@belfry/database';
import type pg from 'pg';
import {
  checkStatement,
  type Difference,
  listNamed,
  listRead,
  type Statement,
  toText,
} from './check-statement.fixture';
import { toPlace, withoutBlanks } from './find-statements.fixture';
import { recordSent, type SentStatements } from './sql-types.fixture';
import { findIds, type Table } from './twins.fixture';

/** Statements that found or changed a row, and those that name no table of accounts. */
export type WatchReport = {
  /** The source lines that sent them, such as `users.ts:30`. */
  places: Set<string>;
  /** Their texts with single spaces. */
  texts: Set<string>;
  differences: Difference[];
  /** Tables that a statement reads, although their own rows made no difference so far. */
  reads: Map<string, Read>;
  /** All statements but Prisma's, whose types are generated from the schema. */
  sent: SentStatements;
};

export type Read = Pick<Statement, 'place' | 'text'> & { indifferent: Set<string> };

type Send = (query: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;

type IsAnchor = (id: string) => number;

/** Intercepts every statement of the database's pools and checks it before sending it. */
export function watchStatements(
  database: Database,
  tables: Table[],
  isAnchor: IsAnchor,
): WatchReport {
  const watched: WatchReport = {
    places: new Set(),
    texts: new Set(),
    differences: [],
    reads: new Map(),
    sent: new Map(),
  };
  const sites = new AsyncLocalStorage<Site>();
  const check = createCheck(watched, tables, isAnchor);
  const watchedClients = new WeakSet<pg.PoolClient>();

  function watch(client: pg.PoolClient): pg.PoolClient {
    if (watchedClients.has(client)) return client;
    watchedClients.add(client);
    const send = client.query.bind(client) as Send;
    let isInTransaction = false;
    const query: Send = async (statement, values) => {
      const site = sites.getStore() ?? findSite();
      const config = toConfig(statement, values);
      if (/^BEGIN/i.test(config.text)) isInTransaction = true;
      if (/^(COMMIT|ROLLBACK(?! TO))/i.test(config.text)) isInTransaction = false;
      return check(send, { ...site, isInTransaction, query: config });
    };
    return Object.assign(client, { query });
  }

  const { accepting, delivery, hot, lookUps, requestLog } = database;
  for (const pool of [accepting, delivery, hot, lookUps, requestLog]) {
    const connectFirst = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
    const connect = async () => watch(await connectFirst());
    const query: Send = async (text, values) => {
      const site = sites.getStore() ?? findSite();
      const client = await connect();
      try {
        return await sites.run(site, () => (client.query as Send)(text, values));
      } finally {
        client.release();
      }
    };
    Object.assign(pool, { connect, query });
  }
  const prisma = watchPrisma(database.prisma, { sites, places: watched.places });
  Object.defineProperty(database, 'prisma', { value: prisma });
  return watched;
}

type StatementAtSite = Site & Pick<Statement, 'query'> & { isInTransaction: boolean };

/** Checks a statement, sends it, and records it. */
function createCheck(watched: WatchReport, tables: Table[], isAnchor: IsAnchor) {
  const knownIds = new Set<string>();
  const isEnough = createLimits();
  const runInSequence = createSequence();

  async function check(send: Send, statement: Statement, isInTransaction: boolean) {
    if (statement.tables.length === 0) return true;
    const options = {
      isInTransaction,
      isAnchor,
      isEnough: (answer: string) => isEnough(statement, answer),
    };
    const checked = await runInSequence(() => checkStatement(send, statement, options));
    watched.differences.push(...checked.differences);
    recordRead(watched.reads, statement, checked.mattering);
    return checked.hasRows;
  }

  return async function checkAndSend(send: Send, { isInTransaction, ...sent }: StatementAtSite) {
    const { place, query } = sent;
    const text = withoutBlanks(query.text);
    const statement: Statement = {
      ...sent,
      text,
      knownIds,
      tables: listNamed(text, tables),
    };
    if (await check(send, statement, isInTransaction)) {
      watched.places.add(place);
      watched.texts.add(text);
    }
    const result = await send(query);
    if (!sent.isPrisma) recordSent(watched.sent, sent, result);
    for (const id of findIds(toText([query.values, result.rows]))) knownIds.add(id);
    return result;
  };
}

function recordRead(
  reads: WatchReport['reads'],
  statement: Statement,
  mattering: readonly string[],
): void {
  const { place, text } = statement;
  const tables = new Set(listRead(statement).map(({ name }) => name));
  const read = reads.get(place + text) ?? { place, text, indifferent: tables };
  for (const name of mattering) read.indifferent.delete(name);
  reads.set(place + text, read);
}

/** Maximum checks of one text from one source line. */
const maxChecks = 16;

/** Skips a statement if a fixture line already got the same result, except for ids and numbers. */
function createLimits() {
  const checked = new Map<string, Set<string>>();
  return function isEnough({ place, text, caller }: Statement, answer: string): boolean {
    const answers = checked.get(`${place} ${text}`) ?? new Set();
    // A time has up to three decimals: none of them is zero at the end.
    const plain = caller + answer.replaceAll(/[0-9a-f]{2,}(\.\d+)?/g, '#');
    if (answers.has(plain) || answers.size >= maxChecks) return true;
    checked.set(`${place} ${text}`, answers.add(plain));
    return false;
  };
}

/** Runs one check at a time, because two would wait for each other's rows. */
function createSequence() {
  let last: Promise<unknown> = Promise.resolve();
  return function runInSequence<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

function toConfig(query: string | pg.QueryConfig, values: unknown[] = []): pg.QueryConfig {
  return typeof query === 'string' ? { text: query, values } : query;
}

type Calls = { sites: AsyncLocalStorage<Site>; places: Set<string> };

/** Prisma sends its statements later, so the source line is taken when one of its functions is called. */
function watchPrisma<Client extends object>(client: Client, calls: Calls): Client {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === 'object' && value !== null) return watchPrisma(value, calls);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (name === '$transaction') {
          const [work] = args as [(tx: object) => unknown];
          return value.call(target, (tx: object) => work(watchPrisma(tx, calls)));
        }
        const site = { ...findSite(), isPrisma: true };
        calls.places.add(site.place);
        return calls.sites.run(site, async () => value.apply(target, args));
      };
    },
  });
}

const sources = ['database', 'pipeline'].map((name) =>
  path.resolve(__dirname, `../../../${name}/src`),
);

/** The source line that sends a statement, and the fixture line that caused it. */
type Site = Pick<Statement, 'place' | 'caller'> & { isPrisma?: boolean };

function findSite(): Site {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 30;
  const lines = (new Error().stack ?? '')
    .split('\n')
    .filter((line) => sources.some((folder) => line.includes(folder)));
  Error.stackTraceLimit = stackTraceLimit;
  const place = lines.find((line) => !/\.(fixture|test)\.ts|generated/.test(line));
  const caller = lines.find((line) => /\/use-[a-z]+\.fixture\.ts/.test(line));
  return { place: toLine(place), caller: toLine(caller) };
}

function toLine(frame = ''): string {
  const [, file = '', row = ''] = /\(?([^()\s]+):(\d+):\d+\)?$/.exec(frame) ?? [];
  return `${toPlace(file)}:${row}`;
}

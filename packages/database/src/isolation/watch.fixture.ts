import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import type pg from 'pg';
import type { Database } from '../client';
import { checkStatement, type Difference, type Statement, toText } from './check-statement.fixture';
import { toPlace, withoutBlanks } from './find-statements.fixture';
import { findIds, type Table } from './twins.fixture';

/** Statements that found or changed a row, or could find none, as they name no account's table. */
export type Watched = {
  /** Where they were sent from, as `users.ts:30`. */
  places: Set<string>;
  /** Their texts, blanks reduced to one. */
  texts: Set<string>;
  differences: Difference[];
};

type Send = (query: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;

type IsAnchor = (id: string) => number;

/** Sees every statement that goes through the database's pools, and checks it before it is sent. */
export function watchStatements(database: Database, tables: Table[], isAnchor: IsAnchor): Watched {
  const watched: Watched = { places: new Set(), texts: new Set(), differences: [] };
  const sites = new AsyncLocalStorage<string>();
  const check = createCheck(watched, tables, isAnchor);
  const watchedClients = new WeakSet<pg.PoolClient>();

  function watch(client: pg.PoolClient): pg.PoolClient {
    if (watchedClients.has(client)) return client;
    watchedClients.add(client);
    const send = client.query.bind(client) as Send;
    let isInTransaction = false;
    const query: Send = async (given, values) => {
      const place = sites.getStore() ?? findPlace();
      const config = toConfig(given, values);
      if (/^BEGIN/i.test(config.text)) isInTransaction = true;
      if (/^(COMMIT|ROLLBACK)/i.test(config.text)) isInTransaction = false;
      return check(send, { place, isInTransaction, query: config });
    };
    return Object.assign(client, { query });
  }

  const { accepting, delivery, hot, lookUps, requestLog } = database;
  for (const pool of [accepting, delivery, hot, lookUps, requestLog]) {
    const connectFirst = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
    const connect = async () => watch(await connectFirst());
    const query: Send = async (text, values) => {
      const place = sites.getStore() ?? findPlace();
      const client = await connect();
      try {
        return await sites.run(place, () => (client.query as Send)(text, values));
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

type Sent = Pick<Statement, 'place' | 'query'> & { isInTransaction: boolean };

/** Checks a statement, sends it, and remembers what it was about. */
function createCheck(watched: Watched, tables: Table[], isAnchor: IsAnchor) {
  const known = new Set<string>();
  const isEnough = createLimits();
  const inTurn = createTurns();

  async function check(send: Send, statement: Statement, isInTransaction: boolean) {
    if (statement.tables.length === 0) return true;
    const options = {
      isInTransaction,
      isAnchor,
      isEnough: (answer: string) => isEnough(statement, answer),
    };
    const { hasRows, differences } = await inTurn(() => checkStatement(send, statement, options));
    watched.differences.push(...differences);
    return hasRows;
  }

  return async function checkAndSend(send: Send, { place, query, isInTransaction }: Sent) {
    const text = withoutBlanks(query.text);
    const statement = { place, query, text, known, tables: tablesIn(text, tables) };
    if (await check(send, statement, isInTransaction)) {
      watched.places.add(place);
      watched.texts.add(text);
    }
    const result = await send(query);
    for (const id of findIds(toText([query.values, result.rows]))) known.add(id);
    return result;
  };
}

/** Of one text from one place. */
const maxChecks = 8;

/** A statement that answers as it did before, but for ids and numbers, is not checked again. */
function createLimits() {
  const checked = new Map<string, Set<string>>();
  return function isEnough({ place, text }: Statement, answer: string): boolean {
    const answers = checked.get(`${place} ${text}`) ?? new Set();
    const plain = answer.replaceAll(/[0-9a-f]{2,}/g, '#');
    if (answers.has(plain) || answers.size >= maxChecks) return true;
    checked.set(`${place} ${text}`, answers.add(plain));
    return false;
  };
}

/** One check at a time: each would wait for the other's rows. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

function toConfig(query: string | pg.QueryConfig, values: unknown[] = []): pg.QueryConfig {
  return typeof query === 'string' ? { text: query, values } : query;
}

function tablesIn(text: string, tables: Table[]): Table[] {
  return tables.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text));
}

type Calls = { sites: AsyncLocalStorage<string>; places: Set<string> };

/** Prisma sends its statements later, so the place is taken where one of its functions is called. */
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
        const place = findPlace();
        calls.places.add(place);
        return calls.sites.run(place, async () => value.apply(target, args));
      };
    },
  });
}

const sources = path.resolve(__dirname, '..');

/** The first line of the production sources on the way here. */
function findPlace(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 20;
  const lines = (new Error().stack ?? '').split('\n');
  Error.stackTraceLimit = stackTraceLimit;
  const line = lines.find(
    (each) => each.includes(sources) && !/\.(fixture|test)\.ts|generated/.test(each),
  );
  const [, file = '', row = ''] = /\(?([^()\s]+):(\d+):\d+\)?$/.exec(line ?? '') ?? [];
  return `${toPlace(file)}:${row}`;
}

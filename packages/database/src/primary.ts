import pg from 'pg';

/** The servers of a URL with several hosts. */
export type Servers = {
  readonly count: number;
  /** The URL of the server to try. */
  getUrl(): string;
  /** Tries the next server from now on, unless another connection moved on already. */
  leave(url: string): void;
};

/**
 * Reads `postgresql://user@one:5432,two:5432/db?target_session_attrs=read-write`, as libpq does
 * (https://www.postgresql.org/docs/current/libpq-connect.html). Node's driver takes one host only.
 */
export function createServers(url: string): Servers {
  const [, start = '', hosts = '', end = ''] =
    /^(\w+:\/\/(?:[^/@]*@)?)([^/?]*)(.*)$/s.exec(url) ?? [];
  const urls = hosts.includes(',') ? hosts.split(',').map((host) => start + host + end) : [url];
  let current = 0;
  const getUrl = () => urls[current] ?? url;
  return {
    count: urls.length,
    getUrl,
    leave(left) {
      if (left === getUrl()) current = (current + 1) % urls.length;
    },
  };
}

/** For output: without user and password. */
export function getHosts(url: string): string {
  const [, authority = ''] = /^\w+:\/\/([^/?]*)/.exec(url) ?? [];
  return authority.slice(authority.lastIndexOf('@') + 1);
}

/**
 * Tries each server once. A failure after which the same server is to be tried, such as a pool whose connections are all in
 * use, is final.
 */
export async function connectToAny<T>(servers: Servers, connect: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const url = servers.getUrl();
    try {
      return await connect();
    } catch (error) {
      if (tries >= servers.count || servers.getUrl() === url) throw error;
    }
  }
}

/** The server is a replica, or was demoted, so it cannot write. */
class ReplicaError extends Error {
  constructor() {
    super('This PostgreSQL server is a replica');
    this.name = 'ReplicaError';
  }
}

/**
 * A connection to one of several servers: after a failure, the next attempt tries another server. By default connecting
 * fails on a replica, too.
 */
export function createServersClient(
  Base: typeof pg.Client,
  servers: Servers,
  { mayBeReplica = false } = {},
): typeof pg.Client {
  return class ServersClient extends Base {
    constructor(config?: pg.ClientConfig) {
      const url = servers.getUrl();
      super({ ...config, connectionString: url });
      const connect = super.connect.bind(this);
      const connectToCurrent = async () => {
        try {
          await connect();
          if (!mayBeReplica) await refuseReplica(this);
        } catch (error) {
          servers.leave(url);
          throw error;
        }
      };
      this.connect = ((callback?: (error: unknown) => void) => {
        const connected = connectToCurrent();
        if (!callback) return connected;
        connected.then(() => callback(null), callback);
        return undefined;
      }) as pg.Client['connect'];
    }
  };
}

/** Connects to the first server that is the primary. */
export async function connectToPrimary(config: pg.ClientConfig & { connectionString: string }) {
  const servers = createServers(config.connectionString);
  const Client = servers.count > 1 ? createServersClient(pg.Client, servers) : pg.Client;
  return connectToAny(servers, async () => {
    const client = new Client(config);
    // A broken connection also fails the running query, which reports the error.
    client.on('error', () => {});
    await client.connect();
    return client;
  });
}

async function refuseReplica(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isReplica: boolean }>(
    `SELECT current_setting('transaction_read_only') = 'on' AS "isReplica"`,
  );
  if (!rows[0]?.isReplica) return;
  await client.end();
  throw new ReplicaError();
}

import { startProcess, type TestProcess } from '../child-process';
import { createTcpProxy, type TcpProxy } from '../tcp-proxy';
import type { Entry } from './recording';

export type MemberSpec = {
  name: string;
  kind: 'gateway' | 'worker' | 'relay' | 'webhooks';
  roles: string;
};

/** One process of the system with its own links to the stores. It may be ended and restarted any number of times. */
export type Member = MemberSpec & {
  readonly pid: number;
  /** Its URL while it listens; otherwise undefined. */
  readonly url: string | undefined;
  readonly isReady: boolean;
  postgres: TcpProxy;
  redis: TcpProxy;
  /** Ends it with that signal, restarts it, and waits until it is ready; returns the exit code. */
  restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Its complete output, over all starts. */
  output(): string[];
  stop(): Promise<void>;
};

export type MemberDeps = {
  postgresUrl: string;
  redisUrl: string;
  env: Record<string, string>;
  record(entry: Entry): void;
};

/** Limits restarts: a system that ends at every start must not prolong a run without end. */
const mostCrashes = 20;
const shownLines = 25;

export async function startMember(spec: MemberSpec, deps: MemberDeps): Promise<Member> {
  const postgres = await createTcpProxy(deps.postgresUrl);
  const redis = await createTcpProxy(deps.redisUrl);
  const lives = createLives(spec, deps, { DATABASE_URL: postgres.url, REDIS_URL: redis.url });
  await lives.current().ready;
  return {
    ...spec,
    postgres,
    redis,
    get pid() {
      return lives.current().process.pid;
    },
    get url() {
      return lives.current().url;
    },
    get isReady() {
      return lives.current().isReady;
    },
    async restart(signal) {
      // A process that does not end in time is killed, and has no exit code.
      const code = await lives.end(signal).catch(() => null);
      await lives.launch().ready;
      return code;
    },
    signal: (signal) => lives.current().process.signal(signal),
    output: lives.output,
    async stop() {
      await lives.end('SIGKILL');
      await Promise.all([postgres.close(), redis.close()]);
    },
  };
}

type Life = {
  process: TestProcess;
  url: string | undefined;
  isReady: boolean;
  ready: Promise<void>;
  /** An expected end is not a crash. */
  isToEnd: boolean;
};

/** The processes that were started under one name, one after the other. */
function createLives(spec: MemberSpec, deps: MemberDeps, ways: Record<string, string>) {
  const [entry, readyLine] =
    spec.kind === 'gateway'
      ? ['apps/api/dist/main.js', 'api.ready']
      : ['apps/worker/dist/main.js', 'worker.ready'];
  const env = { ...deps.env, ...ways, ...(spec.roles ? { WORKER_ROLES: spec.roles } : {}) };
  const outputs: string[][] = [];
  let crashes = 0;
  let current = launch();

  function launch(): Life {
    const started = startProcess(entry, env);
    outputs.push(started.output);
    const life: Life = {
      process: started,
      url: undefined,
      isReady: false,
      ready: started.waitForLine(readyLine).then(
        ({ url }) => Object.assign(life, { url, isReady: true }) && undefined,
        () => undefined,
      ),
      isToEnd: false,
    };
    void started.ended.then(() => afterEnd(life));
    return life;
  }

  function afterEnd(life: Life): void {
    life.isReady = false;
    life.url = undefined;
    if (life.isToEnd) return;
    const { pid, output } = life.process;
    const lastWords = output.slice(-shownLines).join('\n');
    deps.record({ type: 'crash', name: spec.name, pid, atMs: performance.now(), lastWords });
    crashes += 1;
    if (crashes <= mostCrashes) current = launch();
  }

  return {
    current: () => current,
    launch(): Life {
      current = launch();
      return current;
    },
    end(signal: NodeJS.Signals): Promise<number | null> {
      current.isToEnd = true;
      return current.process.stop(signal);
    },
    output: () => outputs.flat(),
  };
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Demo } from '@belfry/database';
import { StartError } from './start-error';

/** The steps that need the database's code. */
export type Orders = {
  migrate: {
    /** `reset`: command that removes the data; undefined for an external database. */
    input: { databaseUrl: string; migrations: string; reset: string | undefined };
    result: { applied: string[]; edited: string[] };
  };
  seed: {
    input: { databaseUrl: string; keyRing: string; keysFile: string };
    result: Demo;
  };
  /** Token of the link that creates the first operator; undefined if there is an operator already. */
  createSetUpToken: {
    input: { databaseUrl: string; accountId: string };
    result: string | undefined;
  };
};

export type Order<Name extends keyof Orders> = { name: Name; input: Orders[Name]['input'] };

export type Reply =
  | { result: unknown }
  | { error: { message: string; isForUser: boolean; isConfiguration: boolean } };

export type Preparation = {
  /** Runs one step; the next one may start when it ended. */
  run<Name extends keyof Orders>(
    name: Name,
    input: Orders[Name]['input'],
  ): Promise<Orders[Name]['result']>;
  close(): void;
};

/**
 * A process that prepares the database and then ends. It loads its code while PostgreSQL starts, and this code does
 * not stay in the memory of the supervisor.
 */
export function startPreparation(): Preparation {
  const child = fork(path.join(__dirname, 'prepare-main.js'), {
    // In its own session: Ctrl-C must reach only the supervisor.
    detached: true,
    execArgv: [],
    // A crash writes its error there.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return {
    async run(name, input) {
      const reply = nextReply(child, name);
      child.send({ name, input } satisfies Order<typeof name>);
      // The child answers with the result of this step.
      return (await reply) as Orders[typeof name]['result'];
    },
    close() {
      if (child.connected) child.disconnect();
    },
  };
}

async function nextReply(child: ChildProcess, name: string): Promise<unknown> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = once(child, 'exit', { signal }).then(() => undefined);
  const replied = once(child, 'message', { signal }).then(([reply]) => reply as Reply);
  try {
    const reply = await Promise.race([replied, ended]);
    if (!reply) throw new Error(`The step ${name} ended without a result`);
    if (!('error' in reply)) return reply.result;
    const { message, isForUser, isConfiguration } = reply.error;
    throw isForUser ? new StartError(message, { isConfiguration }) : new Error(message);
  } finally {
    // The other wait would stay until the process ends.
    for (const each of [ended, replied]) each.catch(() => undefined);
    waiting.abort();
  }
}

import { fork } from 'node:child_process';
import path from 'node:path';
import type { LoadResult, LoadSpec } from './load-types';

export type LoadProcess = {
  pid: number;
  /** One at a time. */
  run(spec: LoadSpec): Promise<LoadResult>;
  close(): void;
};

export function startLoad(): LoadProcess {
  const child = fork(path.join(__dirname, 'load-main.js'), { serialization: 'advanced' });

  return {
    pid: child.pid ?? 0,
    run(spec) {
      return new Promise((resolve, reject) => {
        const onExit = () => reject(new Error('The load process ended'));
        child.once('exit', onExit);
        child.once('message', (answer: { result?: LoadResult; problem?: string }) => {
          child.off('exit', onExit);
          if (answer.result) resolve(answer.result);
          else reject(new Error(answer.problem));
        });
        child.send(spec);
      });
    },
    close: () => child.kill('SIGKILL'),
  };
}

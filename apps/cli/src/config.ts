import { findUrlProblem, parsePrivateHosts } from '@belfry/channels';
import { createLookUps, type Database } from '@belfry/database';
import {
  type Base,
  emptyBase,
  FileProblems,
  type Part,
  type PullInput,
  type Pushed,
  parts,
  pullFiles,
  pushFiles,
} from '@belfry/pipeline/configure';
import type { Secrets } from '@belfry/runtime';
import { isUuid } from '@belfry/shared';
import { type Command, type CommandCall, type ExitCode, exitCodes, UsageError } from './cli';
import { readFolder, writeFolder } from './config-folder';
import { type SealedDatabase, withSealedDatabase } from './open-database';

export type ConfigDeps = {
  /** Environment variables, which may hold the values of references. */
  variables: Readonly<Record<string, string | undefined>>;
};

const flags = ['--overwrite', '--remove'] as const;

/** `belfry config pull`, `belfry config diff` and `belfry config push` */
export function configCommand(deps: ConfigDeps): Command {
  return {
    help: {
      usage: [
        'config pull DIR APP_ID [--overwrite]',
        'config diff DIR APP_ID [--only PARTS]',
        'config push DIR APP_ID [--only PARTS] [--remove] [--overwrite]',
      ],
      summary: 'Keep the configuration of an app in a folder of files',
      arguments: {
        DIR: 'Folder of the files. `pull` creates it.',
        APP_ID: 'ID of an app (a UUID).',
        '--only PARTS': `Compares or pushes only these: ${parts.join(', ')}. Separate several with commas.`,
        '--remove': 'Lets `push` remove from the app what the folder does not have.',
        '--overwrite': 'Overwrites changes of the other side since the last pull or push.',
      },
      success: 'The folder and the app are equal, or were made equal.',
      failure:
        'No app has this ID, something would be removed without --remove, or the database failed.',
      otherCodes: {
        2: '`diff` found differences.',
        3: 'The other side changed since the last pull or push. Nothing was changed.',
        65: 'Files are invalid, or a variable that they name is not set. Nothing was changed.',
      },
      example: 'config pull ./belfry-config 0195f3a2-7c1e-7b58-9d0a-3f6f5b2c9e11',
    },
    async run(call) {
      const input = readArguments(call.args);
      try {
        return await withSealedDatabase(call.env, (opened) =>
          run(call, { ...opened, ...deps }, input),
        );
      } catch (error) {
        if (!(error instanceof FileProblems)) throw error;
        for (const { file, problem } of error.problems) call.err(`${file}: ${problem}`);
        call.err('Nothing was changed.');
        return exitCodes.invalidFiles;
      }
    },
  };
}

type Input = {
  verb: 'pull' | 'diff' | 'push';
  dir: string;
  appId: string;
  parts: readonly Part[];
  overwrite: boolean;
  remove: boolean;
};

function readArguments(args: readonly string[]): Input {
  const [verb, ...rest] = args;
  if (verb !== 'pull' && verb !== 'diff' && verb !== 'push') {
    throw new UsageError('Enter `pull`, `diff` or `push` after `config`.');
  }
  const onlyAt = rest.indexOf('--only');
  const only = onlyAt < 0 ? [] : rest.splice(onlyAt, 2);
  const allowed = { pull: ['--overwrite'], diff: [], push: flags }[verb] as readonly string[];
  const [dir, appId = '', ...more] = rest.filter((arg) => !allowed.includes(arg));
  if (dir === undefined || dir.startsWith('-')) throw new UsageError('Enter a folder.');
  if (!isUuid(appId)) throw new UsageError('Enter the ID of an app (a UUID) after the folder.');
  if (more.length > 0) throw new UsageError(`Unknown argument "${more[0]}" of config ${verb}.`);
  if (verb === 'pull' && only.length > 0) throw new UsageError('`config pull` reads all parts.');
  return {
    ...{ verb, dir, appId, parts: readParts(only) },
    overwrite: rest.includes('--overwrite'),
    remove: rest.includes('--remove'),
  };
}

function readParts([flag, text = '']: readonly string[]): readonly Part[] {
  if (flag === undefined) return parts;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !parts.some((part) => part === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `"${unknown}" is not a part. Enter some of ${parts.join(', ')} after --only.`,
    );
  }
  return parts.filter((part) => names.includes(part));
}

type Services = SealedDatabase & ConfigDeps;

async function run(call: CommandCall, services: Services, input: Input): Promise<ExitCode> {
  const folder = await readFolder(input.dir);
  const { database } = services;
  const app = await createLookUps(database.lookUps).findApp(input.appId);
  if (!app) {
    call.err(`No app has the ID ${input.appId}.`);
    return exitCodes.failed;
  }
  const { id: appId, accountId } = app;
  const work = input.verb === 'pull' ? pull : push;
  const { variables, secrets } = services;
  return work(call, {
    deps: { pool: database.lookUps, secrets },
    input: {
      ...{ ...input, accountId, appId, variables },
      ...{ files: folder.files, base: folder.bases[appId] ?? emptyBase },
    },
    write: (writes, base) => writeFolder(input.dir, writes, { ...folder.bases, [appId]: base }),
  });
}

type Job = {
  deps: { pool: Database['lookUps']; secrets: Secrets };
  input: Input & PullInput;
  /** Writes files and the new base. */
  write(writes: ReadonlyMap<string, string | undefined>, base: Base): Promise<void>;
};

async function pull({ out, err }: CommandCall, { deps, input, write }: Job): Promise<ExitCode> {
  const pulled = await pullFiles(deps, input);
  if (pulled.state === 'conflict') {
    for (const file of pulled.files) err(`conflict  ${file}`);
    err(
      'These files were edited, and the app changed there too. Nothing was changed. `--overwrite` replaces every edited file with the app’s.',
    );
    return exitCodes.conflict;
  }
  await write(pulled.writes, pulled.base);
  for (const [file, text] of pulled.writes)
    out(`${text === undefined ? 'removed' : 'written'}  ${file}`);
  if (pulled.writes.size === 0) out('No change.');
  return exitCodes.ok;
}

async function push(call: CommandCall, { deps, input, write }: Job): Promise<ExitCode> {
  const allowedPrivateHosts = parsePrivateHosts(call.env.ALLOWED_PRIVATE_HOSTS);
  const isDryRun = input.verb === 'diff';
  const pushed = await pushFiles(
    { ...deps, findUrlProblem: (url) => findUrlProblem(url, { allowedPrivateHosts }) },
    { ...input, isDryRun },
  );
  for (const line of listLines(pushed, input)) call.out(line);
  const code = isDryRun ? diffCodes[pushed.state] : pushCodes[pushed.state];
  if (code === exitCodes.conflict) call.err(changedMeanwhile);
  if (code === exitCodes.failed) call.err(wouldRemove);
  if (!isDryRun && code === exitCodes.ok) await write(new Map(), pushed.base);
  return code;
}

function listLines({ state, changes, secrets }: Pushed, { overwrite }: Input): string[] {
  if (state === 'unchanged') return ['No change.'];
  return [
    ...changes.map(({ file, kind, isConflict }) => {
      return `${isConflict && !overwrite ? 'conflict' : kind.padEnd(8)}  ${file}`;
    }),
    ...secrets.map((file) => `secret    ${file}`),
  ];
}

const pushCodes = {
  unchanged: exitCodes.ok,
  changed: exitCodes.ok,
  removes: exitCodes.failed,
  conflict: exitCodes.conflict,
};
const diffCodes = { ...pushCodes, changed: exitCodes.differences, removes: exitCodes.differences };
const changedMeanwhile =
  'The app changed there since the last pull or push. Nothing was changed. Run `belfry config pull`, or push with --overwrite.';
const wouldRemove =
  'The folder lacks what the app has there. Nothing was changed. `--remove` removes it from the app.';

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createWorkspaceCopy, isFullRun } from '@belfry/testing';

const run = promisify(execFile);
const timeoutMs = 240_000;

/** A complete channel in one file: addressing, composing and sending. */
const pagerChannel = `import { escapeNothing } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type { Channel, Provider } from '../channel';
import { createParseField, createRendering, listPaths } from '../rendering';

type PagerTemplate = { text: string };
type PagerContent = { text: string };

const beeps: Provider<PagerContent> = {
  label: 'Beeps',
  settings: Type.Object({}),
  credentials: Type.Object({}),
  payload: Type.Object({}),
  check: () => [],
  describe: ({ target, content }) => ({ operation: 'BEEP', body: { target, ...content } }),
  createSender: () => ({
    send: async ({ messageId }) => ({
      outcome: { outcome: 'accepted', providerMessageId: messageId },
    }),
    test: async () => ({ isWorking: true, detail: 'It beeps.' }),
    close: async () => undefined,
  }),
};

export const pager: Channel<PagerTemplate, object, PagerContent> = {
  label: 'Pager',
  template: Type.Object({ text: Type.String() }),
  override: Type.Object({ urgency: Type.Optional(Type.String()) }),
  recipient: { pager_number: Type.String({ maxLength: 20 }) },
  deadlineMs: 1_000,
  unknownResends: 1,
  findTargets({ extra }) {
    const number = extra?.['pager_number'];
    return typeof number === 'string'
      ? { targets: [{ address: number }] }
      : { skip: 'no_address', detail: 'The recipient has no pager_number.' };
  },
  compile(template, language) {
    const text = createParseField(language)('text', template.text, () => escapeNothing);
    return {
      paths: listPaths([text]),
      compose({ data, missing }) {
        const rendering = createRendering(data);
        const content = { text: rendering.text(text) };
        const finished = rendering.finish(missing);
        return 'failed' in finished ? finished : { content, ...finished };
      },
    };
  },
  findMagicWord: () => undefined,
  providers: { beeps },
};
`;

let copy: string;

beforeAll(() => {
  copy = createWorkspaceCopy({ build: true });
  addPager(copy);
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Requests the copy's gateway over HTTP. It stores nothing, so it needs no stores. */
const queryGatewayScript = `
  const { channels } = require('@belfry/channels');
  const { createLogger, newId } = require('@belfry/runtime');
  const { createApi } = require('./apps/api/dist/app.js');
  const { parseRoles } = require('./apps/worker/dist/roles.js');
  const unused = async () => undefined;
  const api = createApi({
    channels, newId, publicUrl: 'http://127.0.0.1', now: () => new Date(),
    findApiKey: unused, findApp: unused, inbox: {}, sendEvent: unused, ready: async () => true,
    https: { allowHttp: true, isTrustedProxy: () => false },
    bodies: { maxBodyBytes: 1000, maxBodiesInMemoryBytes: 100000, pace: { timeoutMs: 1000, windowMs: 1000, minBytes: 0 } },
    limitRate: unused, metrics: { countHttpRequest: () => undefined },
    log: createLogger({ level: 'error', process: 'api' }),
  });
  const server = api.listen(0, '127.0.0.1', async () => {
    const answer = await fetch('http://127.0.0.1:' + server.address().port + '/openapi.json');
    console.log(JSON.stringify({ roles: parseRoles('all'), openApi: await answer.json() }));
    server.close();
    server.closeAllConnections();
  });`;

describe('a channel added as one folder and one line of the registry', () => {
  test(
    'passes every check after the documents are regenerated',
    async () => {
      await inCopy(['scripts/docs.mjs']);
      // Lint rules judge each file alone, and `npm run check` lints the unchanged ones.
      const lintedPaths = isFullRun() ? [] : ['packages/channels', 'docs'];
      await inCopy(['scripts/check.mjs', ...lintedPaths]);
    },
    timeoutMs,
  );

  test(
    'is in the wire schema and OpenAPI, and has a worker role',
    async () => {
      await inCopy(['scripts/build.mjs']);
      const gatewayDescription = JSON.parse((await inCopy(['-e', queryGatewayScript])).stdout);
      expect(gatewayDescription.roles.map(({ name }: { name: string }) => name)).toContain(
        'deliver-pager',
      );
      const { properties } = gatewayDescription.openApi.components.schemas.SendEventBody;
      expect(properties.user.properties.pager_number).toMatchObject({ maxLength: 20 });
      expect(properties.override.properties.pager.properties.urgency).toBeDefined();
    },
    timeoutMs,
  );
});

async function inCopy(args: string[]): Promise<{ stdout: string }> {
  try {
    return await run(process.execPath, args, {
      cwd: copy,
      maxBuffer: 50_000_000,
      timeout: timeoutMs,
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${args[0]} failed:\n${stdout}\n${stderr}`);
  }
}

function addPager(target: string): void {
  const channels = path.join(target, 'packages/channels/src');
  mkdirSync(path.join(channels, 'pager'));
  writeFileSync(path.join(channels, 'pager/channel.ts'), pagerChannel);
  const registry = path.join(channels, 'registry.ts');
  const before = readFileSync(registry, 'utf8');
  const after = before
    .replace('import { push }', "import { pager } from './pager/channel';\nimport { push }")
    .replace('  slack,\n', '  slack,\n  pager,\n');
  writeFileSync(registry, after);
}

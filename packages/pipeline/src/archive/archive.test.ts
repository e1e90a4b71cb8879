import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  createS3Simulator,
  eventually,
  findClosedPort,
  type S3Simulator,
  s3Fault,
  simulatedBucket,
} from '@belfry/testing';
import { type Archive, createArchive } from './archive';

jest.setTimeout(30_000);

const log = { warn: jest.fn() };

async function* texts(...lines: string[]) {
  yield* lines;
}

beforeEach(() => log.warn.mockClear());

const readReasons = () => log.warn.mock.calls.map(([event, fields]) => [event, fields.reason]);

async function check(archive: Archive | undefined) {
  return (await archive?.check.read())?.refusals;
}

const off = { ARCHIVE_URL: '', ARCHIVE_S3_ENDPOINT: '', ARCHIVE_S3_REGION: '' };

describe('the archive in a folder', () => {
  let folder: string;

  const open = (place = folder) => createArchive({ ...off, ARCHIVE_URL: `file://${place}` }, log);

  const list = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .sort();

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'belfry-archive-test-'));
  });

  afterEach(async () => {
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true });
  });

  test('is off without ARCHIVE_URL', () => {
    expect(createArchive(off, log)).toBeUndefined();
  });

  test('has the texts in one gzip file, which only its user can read, and no other file', async () => {
    await open()?.write('app/2026-01-02/id', texts('{"a":1}\n', '{"b":2}\n'));
    const [name = '', ...others] = await list();
    expect(others).toEqual([]);
    expect(name).toMatch(/^app\/2026-01-02\/id-[0-9a-f]{16}\.ndjson\.gz$/);
    const file = path.join(folder, name);
    expect(gunzipSync(await readFile(file)).toString()).toBe('{"a":1}\n{"b":2}\n');
  });

  test('replaces a file only if the content is the same', async () => {
    await open()?.write('app/day/id', texts('{"a":1}\n'));
    await open()?.write('app/day/id', texts('{"a":1}\n'));
    expect(await list()).toHaveLength(1);
    await open()?.write('app/day/id', texts('{"a":1}\n', '{"b":2}\n'));
    expect(await list()).toHaveLength(2);
  });

  test('never shows a part of a file, and leaves nothing if the texts fail', async () => {
    async function* failing() {
      yield '{"a":1}\n';
      await eventually(async () =>
        expect(await list()).toEqual([expect.stringMatching(/^\.belfry-archive-/)]),
      );
      throw new Error('The database is gone');
    }
    await expect(open()?.write('app/day/id', failing())).rejects.toThrow('The database is gone');
    expect(await list()).toEqual([]);
    expect(readReasons()).toEqual([]);
  });

  test('removes what a killed process left, but not what another one is writing', async () => {
    const [old, young] = ['.belfry-archive-old', '.belfry-archive-young'];
    for (const name of [old, young]) await writeFile(path.join(folder, name), 'part');
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
    await utimes(path.join(folder, old), twoHoursAgo, twoHoursAgo);
    await open()?.write('app/day/id', texts('{"a":1}\n'));
    expect(await list()).toEqual([young, expect.stringMatching(/^app\//)]);
  });

  test('is checked by a file, of which nothing stays', async () => {
    expect(await check(open())).toEqual([]);
    expect(await list()).toEqual([]);
  });

  test('a folder that does not exist is not created, and the check and the log say what to do', async () => {
    const missing = path.join(folder, 'missing');
    const reason = `${missing} is not a folder. Create or mount it.`;
    expect(await check(open(missing))).toEqual([`ARCHIVE_URL: ${reason}`]);
    await expect(open(missing)?.write('app/day/id', texts('x'))).rejects.toThrow(reason);
    expect(readReasons()).toEqual([['archive.failed', reason]]);
    expect(await list()).toEqual([]);
  });

  test('a file in the place of a folder of an app is a failure that is explained', async () => {
    await writeFile(path.join(folder, 'app'), '');
    await expect(open()?.write('app/day/id', texts('x'))).rejects.toThrow('is not a folder');
    expect(await list()).toEqual(['app']);
  });

  // Root may write everywhere.
  const testAsUser = process.getuid?.() === 0 ? test.skip : test;

  testAsUser('a folder that cannot be written is refused', async () => {
    await chmod(folder, 0o500);
    expect(await check(open())).toEqual([expect.stringContaining('cannot be written (EACCES)')]);
  });

  test('a path that is a file is refused', async () => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    expect(await check(open(file))).toEqual([expect.stringContaining('is not a folder')]);
    await mkdir(path.join(folder, 'app'));
  });
});

describe('the archive in an S3-compatible store', () => {
  let s3: S3Simulator;
  const saved = { ...process.env };

  beforeEach(async () => {
    s3 = await createS3Simulator();
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: simulatedBucket.accessKeyId,
      AWS_SECRET_ACCESS_KEY: simulatedBucket.secretAccessKey,
      // Otherwise the SDK would look for a role of this machine.
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_SHARED_CREDENTIALS_FILE: '/missing',
      AWS_CONFIG_FILE: '/missing',
    });
  });

  afterEach(async () => {
    process.env = { ...saved };
    await s3.close();
  });

  const open = ({
    bucket = simulatedBucket.bucket as string,
    prefix = '/backup/a',
    endpoint = s3.url,
    region = simulatedBucket.region as string,
  } = {}) =>
    createArchive(
      {
        ARCHIVE_URL: `s3://${bucket}${prefix}`,
        ARCHIVE_S3_ENDPOINT: endpoint,
        ARCHIVE_S3_REGION: region,
      },
      log,
    );

  const write = (archive = open()) => archive?.write('app/day/id', texts('{"a":1}\n', '{"b":2}\n'));
  const listParts = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith('.belfry-archive-'));

  test('is an object below the prefix, signed and with its length', async () => {
    const before = await listParts();
    await write();
    const [[key = '', body] = [], ...others] = [...s3.objects];
    expect(others).toEqual([]);
    expect(key).toMatch(/^backup\/a\/app\/day\/id-[0-9a-f]{16}\.ndjson\.gz$/);
    expect(gunzipSync(body ?? '').toString()).toBe('{"a":1}\n{"b":2}\n');
    expect(s3.requests).toHaveLength(1);
    expect(s3.requests[0]?.headers['content-length']).toBe(String(body?.length));
    expect(await listParts()).toEqual(before);
  });

  test('needs no prefix', async () => {
    await write(open({ prefix: '' }));
    expect([...s3.objects.keys()]).toEqual([expect.stringMatching(/^app\/day\/id-/)]);
  });

  test('is checked by an object, of which nothing stays', async () => {
    expect(await check(open())).toEqual([]);
    expect(s3.sends.map(({ key }) => key)).toEqual(['backup/a/.belfry-check']);
    expect(s3.objects.size).toBe(0);
  });

  test.each([
    ['a busy store', () => s3Fault(503, 'SlowDown', 'Please reduce your request rate.')],
    ['an internal error', () => s3Fault(500, 'InternalError', 'We encountered an error.')],
    ['a connection that is reset before the request', () => ({ reset: 'before' as const })],
    ['a connection that is reset after the request', () => ({ reset: 'after' as const })],
  ])('a write is repeated after %s', async (_what, createFault) => {
    s3.fail(createFault());
    await write();
    expect(s3.objects.size).toBe(1);
    expect(readReasons()).toEqual([]);
  });

  test('a write fails after three tries, and the log says why', async () => {
    s3.fail(...[1, 2, 3].map(() => s3Fault(503, 'SlowDown', 'Please reduce your request rate.')));
    await expect(write()).rejects.toThrow('SlowDown');
    expect(s3.requests).toHaveLength(3);
    expect(s3.objects.size).toBe(0);
    const place = `bucket "belfry-archive" at 127.0.0.1:${s3.port}`;
    const reason = `${place}: failed (503 SlowDown). The next run tries again.`;
    expect(readReasons()).toEqual([['archive.failed', reason]]);
  });

  const wrongSettings: [what: string, createOpened: () => Archive | undefined, advice: string][] = [
    ['a missing bucket', () => open({ bucket: 'belfry-missing' }), 'does not exist. Create it'],
    ['a bucket of others', () => open({ bucket: simulatedBucket.lockedBucket }), 'access denied'],
    ['a wrong region', () => open({ region: 'us-west-2' }), 'Set ARCHIVE_S3_REGION'],
    [
      'a wrong secret',
      () => {
        process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong-secret';
        return open();
      },
      'refused the credentials (SignatureDoesNotMatch)',
    ],
    [
      'an unknown key',
      () => {
        process.env['AWS_ACCESS_KEY_ID'] = 'AKIAUNKNOWN000000000';
        return open();
      },
      'refused the credentials (InvalidAccessKeyId)',
    ],
    [
      'no credentials',
      () => {
        delete process.env['AWS_ACCESS_KEY_ID'];
        return open();
      },
      'no credentials. Set AWS_ACCESS_KEY_ID',
    ],
    ['no region', () => open({ endpoint: '', region: '' }), 'Set ARCHIVE_S3_REGION'],
  ];

  test.each(wrongSettings)(
    '%s is refused by the check, once, and stores nothing',
    async (...row) => {
      const [, createOpened, advice] = row;
      const archive = createOpened();
      expect(await check(archive)).toEqual([expect.stringContaining(advice)]);
      await expect(write(archive)).rejects.toThrow(advice);
      expect(s3.requests.length).toBeLessThanOrEqual(2);
      expect(s3.objects.size).toBe(0);
      const logged = JSON.stringify(readReasons());
      expect(logged).toContain(advice);
      expect(logged).not.toContain('wrong-secret');
    },
  );

  test('a store that does not answer is no reason to refuse the start', async () => {
    const endpoint = `http://127.0.0.1:${await findClosedPort()}`;
    await expect(check(open({ endpoint }))).rejects.toThrow('The next run tries again.');
  });

  test('the SDK is loaded only for a store of this kind', () => {
    jest.isolateModules(() => {
      const sdk = jest.fn(() => ({}));
      jest.doMock('@aws-sdk/client-s3', sdk);
      const isolated: typeof import('./archive') = require('./archive');
      for (const url of ['file:///tmp', '']) {
        isolated.createArchive({ ...off, ARCHIVE_URL: url }, log);
      }
      expect(sdk).not.toHaveBeenCalled();
      jest.dontMock('@aws-sdk/client-s3');
    });
  });
});

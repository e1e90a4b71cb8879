import {
  createS3Simulator,
  type S3Simulator,
  simulatedBucket,
  startProcess,
  type TestProcess,
  testEnvironment,
} from '@belfry/testing';

jest.setTimeout(60_000);

const started: TestProcess[] = [];
let s3: S3Simulator;

beforeAll(async () => {
  s3 = await createS3Simulator();
});
afterEach(() => Promise.all(started.splice(0).map((each) => each.stop('SIGKILL'))));
afterAll(() => s3.close());

async function startWorker(settings: Record<string, string>): Promise<TestProcess> {
  const env = await testEnvironment({ env: { WORKER_ROLES: 'relay', ...settings } });
  const child = startProcess('apps/worker/dist/main.js', env);
  started.push(child);
  return child;
}

const listS3Settings = () => ({
  ARCHIVE_URL: `s3://${simulatedBucket.bucket}/requests`,
  ARCHIVE_S3_ENDPOINT: s3.url,
  ARCHIVE_S3_REGION: simulatedBucket.region,
  AWS_ACCESS_KEY_ID: simulatedBucket.accessKeyId,
  AWS_SECRET_ACCESS_KEY: simulatedBucket.secretAccessKey,
});

const missingFolder = { ARCHIVE_URL: 'file:///missing/archive' };

test('a relay writes to its archive before it starts, and keeps nothing there', async () => {
  const worker = await startWorker(listS3Settings());
  await worker.waitForLine('worker.ready');
  expect(s3.sends.map(({ key }) => key)).toEqual(['requests/.belfry-check']);
  expect(s3.objects.size).toBe(0);
});

const wrongSettings: [what: string, list: () => Record<string, string>, text: string][] = [
  ['a missing folder', () => missingFolder, '/missing/archive is not a folder. Create or mount it'],
  ['another scheme', () => ({ ARCHIVE_URL: 'gs://bucket' }), 'ARCHIVE_URL: must be file:///'],
  [
    'a missing bucket',
    () => ({ ...listS3Settings(), ARCHIVE_URL: 's3://belfry-missing' }),
    'bucket "belfry-missing" at 127.0.0.1',
  ],
  [
    'a wrong secret',
    () => ({ ...listS3Settings(), AWS_SECRET_ACCESS_KEY: 'canary-secret' }),
    'refused the credentials (SignatureDoesNotMatch)',
  ],
];

test.each(wrongSettings)(
  'a relay with %s does not start: exit 78, with what to do',
  async (...row) => {
    const [, list, text] = row;
    const worker = await startWorker(list());
    expect(await worker.waitForEnd()).toBe(78);
    const output = worker.output.join('\n');
    expect(output).toContain(text);
    expect(output).not.toContain('canary-secret');
  },
);

test('a worker without the role relay needs no archive', async () => {
  const worker = await startWorker({ ...missingFolder, WORKER_ROLES: 'fanout' });
  await worker.waitForLine('worker.ready');
});

import { findSignatureProblem, type SignatureRules } from './aws-signature';
import { createS3Simulator, type S3Simulator, simulatedBucket } from './s3';

/** The examples of docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const common = { host: 'examplebucket.s3.amazonaws.com', 'x-amz-date': '20130524T000000Z' };

type Example = {
  method: string;
  path: string;
  headers: Record<string, string>;
  signature: string;
  body?: string;
};

const examples: [name: string, example: Example][] = [
  [
    'GET Object',
    {
      method: 'GET',
      path: '/test.txt',
      headers: { range: 'bytes=0-9', 'x-amz-content-sha256': emptyHash },
      signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
  ],
  [
    'PUT Object',
    {
      method: 'PUT',
      path: '/test%24file.text',
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      body: 'Welcome to Amazon S3.',
    },
  ],
  [
    'GET Bucket Lifecycle',
    {
      method: 'GET',
      path: '/?lifecycle=',
      headers: { 'x-amz-content-sha256': emptyHash },
      signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    },
  ],
  [
    'GET Bucket (List Objects)',
    {
      method: 'GET',
      path: '/?prefix=J&max-keys=2',
      headers: { 'x-amz-content-sha256': emptyHash },
      signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    },
  ],
];

function judge(
  { method, path, headers, signature, body = '' }: Example,
  changes: Partial<SignatureRules & { secretAccessKey: string }> = {},
) {
  const all = { ...common, ...headers };
  const signedHeaders = Object.keys(all).sort().join(';');
  const scope = `${credentials.accessKeyId}/20130524/us-east-1/s3/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope},SignedHeaders=${signedHeaders},Signature=${signature}`;
  const request = { method, path, headers: { ...all, authorization }, body: Buffer.from(body) };
  const { secretAccessKey = credentials.secretAccessKey, ...rules } = changes;
  return findSignatureProblem(
    request,
    { ...credentials, secretAccessKey },
    { service: 's3', signedHeaders: ['host', 'x-amz-date'], maxSkewMs: Infinity, ...rules },
  );
}

test.each(examples)('the signature of the example %s is right', (_name, example) => {
  expect(judge(example)).toBeUndefined();
  expect(judge(example, { maxSkewMs: 15 * 60_000 })).toBe('time');
});

test.each(examples)('a change of the example %s makes its signature wrong', (_name, example) => {
  expect(judge({ ...example, path: '/other' })).toBe('signature');
  expect(judge({ ...example, method: 'DELETE' })).toBe('signature');
  expect(judge({ ...example, body: 'other' })).toBe('signature');
  expect(judge(example, { secretAccessKey: 'other' })).toBe('signature');
  expect(judge(example, { service: 'ses' })).toBe('scope');
  expect(judge(example, { signedHeaders: ['x-amz-other'] })).toBe('signature');
});

describe('the simulated store', () => {
  let s3: S3Simulator;

  beforeAll(async () => {
    s3 = await createS3Simulator();
  });

  afterAll(() => s3.close());

  test.each([
    ['PUT', 403, 'AccessDenied'],
    ['DELETE', 403, 'AccessDenied'],
    ['GET', 501, 'NotImplemented'],
  ])('answers %s without a signature with %d %s as XML', async (method, status, code) => {
    const response = await fetch(`${s3.url}/${simulatedBucket.bucket}/key`, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/xml');
    expect(await response.text()).toContain(`<Code>${code}</Code>`);
    expect(s3.objects.size).toBe(0);
  });
});

import { findArchiveProblems, parseArchiveUrl } from './archive-url';

test.each([
  ['file:///var/lib/belfry/archive', { kind: 'folder', folder: '/var/lib/belfry/archive' }],
  ['file:///var/lib/belfry%20archive/', { kind: 'folder', folder: '/var/lib/belfry archive' }],
  ['s3://bucket', { kind: 's3', bucket: 'bucket', prefix: '' }],
  ['s3://bucket/', { kind: 's3', bucket: 'bucket', prefix: '' }],
  ['s3://my.bucket-1/a/b=c/', { kind: 's3', bucket: 'my.bucket-1', prefix: 'a/b=c' }],
])('%s is a place', (url, place) => {
  expect(parseArchiveUrl(url)).toEqual(place);
  expect(findArchiveProblems({ ARCHIVE_URL: url })).toEqual([]);
});

const notAPlace = 'must be file:///var/lib/belfry/archive or s3://bucket/prefix';
const notAFolder = 'must name a folder by its whole path, as in file:///var/lib/belfry/archive';
const notAPrefix = 'must have a prefix of letters, digits and . _ = - between slashes';

test.each([
  ['gs://bucket/prefix', notAPlace],
  ['/var/lib/belfry', notAPlace],
  ['https://bucket.s3.amazonaws.com', notAPlace],
  ['s3://AKIA:secret@bucket', notAPlace],
  ['s3://Bucket', notAPlace],
  ['s3://b', notAPlace],
  ['file://archive', notAFolder],
  ['file:archive', notAFolder],
  ['file:///', notAFolder],
  ['file:////', notAFolder],
  ['file:///a%2Fb', notAFolder],
  ['s3://bucket/../other', notAPrefix],
  ['s3://bucket/a?b', notAPrefix],
  ['s3://bucket/a b', notAPrefix],
])('%s is refused by its form, and the problem does not contain it', (url, problem) => {
  expect(findArchiveProblems({ ARCHIVE_URL: url })).toEqual([
    { name: 'ARCHIVE_URL', problem, example: undefined },
  ]);
});

test.each(['minio.example.com', 'ftp://minio', 'https://'])(
  'the endpoint %s is refused',
  (endpoint) => {
    expect(findArchiveProblems({ ARCHIVE_S3_ENDPOINT: endpoint })).toMatchObject([
      { name: 'ARCHIVE_S3_ENDPOINT', problem: expect.stringContaining('https://') },
    ]);
  },
);

test('without settings there is no problem', () => {
  expect(findArchiveProblems({ ARCHIVE_URL: '', ARCHIVE_S3_ENDPOINT: '' })).toEqual([]);
});

import { createHash } from 'node:crypto';
import { type AwsCredentials, findSignatureProblem, type SignatureProblem } from './aws-signature';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { readHeader } from './mail-api';

/** The credentials and the buckets of the simulated store. */
export const simulatedBucket = {
  accessKeyId: 'AKIASIMULATED0000002',
  secretAccessKey: 'simulated/secret+key+of+s3',
  region: 'eu-central-1',
  bucket: 'belfry-archive',
  /** The key may not write to it. */
  lockedBucket: 'belfry-locked',
} as const;

type S3Object = { bucket: string; key: string; body: Buffer };

export type S3Simulator = HttpSimulator<S3Object> & {
  /** The stored objects of all buckets, by key. */
  objects: Map<string, Buffer>;
};

/**
 * An S3-compatible store, limited to PutObject and DeleteObject with the bucket in the path
 * (docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html). Anything else is refused, so that tests notice.
 */
export async function createS3Simulator(
  credentials: AwsCredentials = simulatedBucket,
): Promise<S3Simulator> {
  const objects = new Map<string, Buffer>();

  function handle(request: HttpRequest): { reply: HttpReply; send?: S3Object } {
    const place = readPlace(request.path);
    const refusal = findRefusal(request, credentials) ?? findPlaceError(place);
    if (refusal) return { reply: s3Error(...refusal) };
    const { bucket, key } = place;
    if (request.method === 'DELETE') {
      objects.delete(key);
      return { reply: { status: 204, body: '' } };
    }
    objects.set(key, request.body);
    const etag = `"${createHash('md5').update(request.body).digest('hex')}"`;
    return {
      reply: { headers: { etag, 'content-type': 'text/plain' }, body: '' },
      send: { bucket, key, body: request.body },
    };
  }

  const simulator = await createHttpSimulator<S3Object>({ handle });
  return { ...simulator, objects };
}

type S3Failure = [status: number, code: string, message: string];

/** An answer that replaces acting on the next request. */
export function s3Fault(...failure: S3Failure): HttpFault {
  return { reply: s3Error(...failure) };
}

/** By docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
function s3Error(...[status, code, message]: S3Failure): HttpReply {
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>${code}</Code><Message>${message}</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

type Place = { bucket: string; key: string; query: string };

function readPlace(path: string): Place {
  const [uri = '', query = ''] = path.split('?');
  const [, bucket = '', ...key] = uri.split('/');
  return { bucket, key: decodeURIComponent(key.join('/')), query };
}

/** The SDK names the operation in `x-id`. */
function findPlaceError({ bucket, key, query }: Place): S3Failure | undefined {
  if (!/^(?:x-id=(?:PutObject|DeleteObject))?$/.test(query)) return notImplemented;
  if (bucket === simulatedBucket.lockedBucket) return [403, 'AccessDenied', 'Access Denied'];
  if (bucket !== simulatedBucket.bucket) {
    return [404, 'NoSuchBucket', 'The specified bucket does not exist'];
  }
  return key === '' || Buffer.byteLength(key) > 1_024
    ? [400, 'KeyTooLongError', 'Your key is empty or too long']
    : undefined;
}

const notImplemented: S3Failure = [501, 'NotImplemented', 'The simulator does not implement this'];

function findRefusal(request: HttpRequest, credentials: AwsCredentials): S3Failure | undefined {
  if (!['PUT', 'DELETE'].includes(request.method)) return notImplemented;
  const sentHash = readHeader(request, 'x-amz-content-sha256');
  const problem = findSignatureProblem(request, credentials, {
    service: 's3',
    signedHeaders: ['host', 'x-amz-date', 'x-amz-content-sha256'],
    contentHash: sentHash,
    maxSkewMs: 15 * 60_000,
  });
  if (problem) return signatureErrors[problem];
  if (sentHash !== createHash('sha256').update(request.body).digest('hex')) {
    return [400, 'XAmzContentSHA256Mismatch', 'The provided x-amz-content-sha256 does not match'];
  }
  if (request.method === 'PUT' && readHeader(request, 'content-length') === undefined) {
    return [411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.'];
  }
  // Compatible stores do not know these parts of AWS.
  const unknown = Object.keys(request.headers).find((name) =>
    /^x-amz-(?:checksum|trailer|sdk-checksum)/.test(name),
  );
  return unknown ? notImplemented : undefined;
}

const signatureErrors: Record<SignatureProblem, S3Failure> = {
  missing: [403, 'AccessDenied', 'Access Denied'],
  unknownKey: [
    403,
    'InvalidAccessKeyId',
    'The AWS Access Key Id you provided does not exist in our records.',
  ],
  scope: [400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed'],
  signature: [
    403,
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided.',
  ],
  time: [
    403,
    'RequestTimeTooSkewed',
    'The difference between the request time and the current time is too large.',
  ],
};

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { ArchiveStore, Explanation } from './archive-store';

type S3StoreOptions = {
  bucket: string;
  /** Empty, or without slashes at its ends. */
  prefix: string;
  /** Empty for AWS. */
  endpoint: string;
  /** Empty for that of the environment. */
  region: string;
};

const connectTimeoutMs = 5_000;
/** Without a byte. */
const silenceMs = 30_000;
/** One try. */
const putTimeoutMs = 120_000;
const retryDelaysMs = [500, 2_000];

/** Keeps files as objects of a bucket. The SDK finds credentials by its default chain. */
export function createS3Store({ bucket, prefix, endpoint, region }: S3StoreOptions): ArchiveStore {
  const client = createClient(endpoint, region);
  const locate = (name: string) => ({
    Bucket: bucket,
    Key: prefix === '' ? name : `${prefix}/${name}`,
  });

  async function putOnce(file: string, name: string, hash: string): Promise<void> {
    const { size } = await stat(file);
    const body = createReadStream(file);
    const object = { ...locate(name), Body: body, ContentLength: size };
    const command = new PutObjectCommand({ ...object, ContentType: 'application/gzip' });
    signContent(command, hash);
    try {
      await client.send(command, { abortSignal: AbortSignal.timeout(putTimeoutMs) });
    } finally {
      body.destroy();
    }
  }

  return {
    async put(file, name, hash) {
      // The SDK does not repeat a stream.
      for (const delayMs of retryDelaysMs) {
        try {
          return await putOnce(file, name, hash);
        } catch (error) {
          if (!mayPass(error)) throw error;
          await wait(delayMs);
        }
      }
      await putOnce(file, name, hash);
    },
    async remove(name) {
      const abortSignal = AbortSignal.timeout(putTimeoutMs);
      await client.send(new DeleteObjectCommand(locate(name)), { abortSignal });
    },
    explain: (error) => explainS3Error(error, { bucket, endpoint }),
  };
}

function createClient(endpoint: string, region: string): S3Client {
  return new S3Client({
    // Stores besides AWS need a region for the signature, but most accept any.
    ...(endpoint && { endpoint, forcePathStyle: true, region: region || 'us-east-1' }),
    ...(region && { region }),
    // Stores besides AWS do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 1,
    logger: silent,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: silenceMs,
      requestTimeout: putTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
}

const ignore = () => undefined;
/** Otherwise the SDK writes to standard error. */
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The SDK does not sign the content of a stream by itself. */
function signContent(command: PutObjectCommand, hash: string): void {
  command.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      headers['x-amz-content-sha256'] = hash;
      return next(args);
    },
    { step: 'build' },
  );
}

type S3Error = { name?: string; code?: string; $metadata?: { httpStatusCode?: number } };

/** No answer, or one of a server that is busy or failing. */
function mayPass(error: unknown): boolean {
  const status = (error as S3Error).$metadata?.httpStatusCode ?? 500;
  return getAdvice(error) === undefined && status >= 500;
}

function explainS3Error(
  error: unknown,
  { bucket, endpoint }: Pick<S3StoreOptions, 'bucket' | 'endpoint'>,
): Explanation {
  const { name = '', code, $metadata } = error as S3Error;
  const place = `bucket "${bucket}" at ${endpoint ? new URL(endpoint).host : 'AWS'}`;
  const advice = getAdvice(error);
  if (advice !== undefined) return { reason: `${place}: ${advice}`, isFinal: true };
  const problem = [$metadata?.httpStatusCode ?? code, name].filter(Boolean).join(' ');
  return { reason: `${place}: failed (${problem}). The next run tries again.`, isFinal: false };
}

/** The problem and what to do; undefined for an answer that may be another one next time. */
function getAdvice(error: unknown): string | undefined {
  const { name, message } = error as Error;
  switch (message === 'Region is missing' ? message : name) {
    case 'NoSuchBucket':
      return 'it does not exist. Create it, or correct ARCHIVE_URL or ARCHIVE_S3_ENDPOINT.';
    case 'AccessDenied':
    case 'Forbidden':
      return 'access denied. Allow s3:PutObject and s3:DeleteObject below the prefix.';
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
    case 'ExpiredToken':
    case 'InvalidToken':
      return `it refused the credentials (${name}). Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the role.`;
    case 'CredentialsProviderError':
      return 'no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the worker a role.';
    case 'Region is missing':
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed':
      return 'the region is wrong or missing. Set ARCHIVE_S3_REGION to the region of the bucket.';
    default:
      return undefined;
  }
}

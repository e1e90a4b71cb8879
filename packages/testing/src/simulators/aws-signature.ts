import { createHash, createHmac } from 'node:crypto';
import type { HttpRequest } from './http-simulator';
import { readHeader } from './mail-api';

export type AwsCredentials = { accessKeyId: string; secretAccessKey: string; region: string };

export type SignatureRules = {
  service: 'ses' | 's3';
  /** Headers that must be signed. */
  signedHeaders: readonly string[];
  /** The hash of the content in the canonical request; by default that of the body. */
  contentHash?: string | undefined;
  maxSkewMs: number;
};

export type SignatureProblem = 'missing' | 'unknownKey' | 'scope' | 'signature' | 'time';

/**
 * Why a request has no valid Signature Version 4 of the credentials, computed from the steps of
 * docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
export function findSignatureProblem(
  request: HttpRequest,
  credentials: AwsCredentials,
  { service, signedHeaders: needed, contentHash = hash(request.body), maxSkewMs }: SignatureRules,
): SignatureProblem | undefined {
  const [, keyId, date, region, signedService, signedHeaders = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      readHeader(request, 'authorization') ?? '',
    ) ?? [];
  if (keyId === undefined) return 'missing';
  if (keyId !== credentials.accessKeyId) return 'unknownKey';
  const time = readHeader(request, 'x-amz-date') ?? '';
  const names = signedHeaders.split(';');
  const scope = `${date}/${region}/${signedService}/aws4_request`;
  if (scope !== `${time.slice(0, 8)}/${credentials.region}/${service}/aws4_request`) return 'scope';
  const secret = credentials.secretAccessKey;
  const expected = signRequest(request, { names, time, scope, secret, contentHash });
  const isComplete = needed.every((name) => names.includes(name));
  if (!isComplete || expected !== signature) return 'signature';
  return Math.abs(Date.now() - readTime(time)) > maxSkewMs ? 'time' : undefined;
}

type Signing = {
  names: string[];
  time: string;
  scope: string;
  secret: string;
  contentHash: string;
};

function signRequest(
  { method, path, headers }: HttpRequest,
  { names, time, scope, secret, contentHash }: Signing,
): string {
  const [uri = '/', query = ''] = path.split('?');
  const canonical = [
    method,
    uri,
    query.split('&').sort().join('&'),
    ...names.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    contentHash,
  ].join('\n');
  const key = scope
    .split('/')
    .reduce<Buffer | string>((previous, part) => hmac(previous, part), `AWS4${secret}`);
  const text = ['AWS4-HMAC-SHA256', time, scope, hash(canonical)].join('\n');
  return hmac(key, text).toString('hex');
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** `20260101T000000Z` in ms since the epoch. */
function readTime(text: string): number {
  return Date.parse(
    text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
}

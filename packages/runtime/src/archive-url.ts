import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where removed requests are archived: a folder, or objects below a prefix of a bucket. */
type ArchivePlace =
  | { kind: 'folder'; folder: string }
  | { kind: 's3'; bucket: string; prefix: string };

const example = 'file:///var/lib/belfry/archive or s3://bucket/prefix';

/** Reads ARCHIVE_URL. A problem does not contain the value, which could hold a password by mistake. */
export function parseArchiveUrl(url: string): ArchivePlace | { problem: string } {
  if (url.startsWith('file:')) return parseFolder(url);
  const [, bucket, prefix = ''] = s3Url.exec(url) ?? [];
  if (bucket === undefined) return { problem: `must be ${example}` };
  const segments = prefix.split('/').filter(Boolean);
  if (segments.some((segment) => !/^[\w.=-]+$/.test(segment) || /^\.+$/.test(segment))) {
    return { problem: 'must have a prefix of letters, digits and . _ = - between slashes' };
  }
  return { kind: 's3', bucket, prefix: segments.join('/') };
}

/** The name of a bucket as S3 allows it; then a prefix. */
const s3Url = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

function parseFolder(url: string): ArchivePlace | { problem: string } {
  const problem = 'must name a folder by its whole path, as in file:///var/lib/belfry/archive';
  // Without a host: file://archive would be the root folder of the host "archive".
  if (!/^file:\/\/\/./.test(url) || !URL.canParse(url)) return { problem };
  try {
    const folder = path.resolve(fileURLToPath(url));
    return folder === path.sep ? { problem } : { kind: 'folder', folder };
  } catch {
    return { problem };
  }
}

type Values = Record<string, unknown>;
type Problem = { name: string; problem: string; example: string | undefined };

export function findArchiveProblems(env: Values): Problem[] {
  const problems: Problem[] = [];
  const add = (name: string, problem: string) =>
    problems.push({ name, problem, example: undefined });
  const { ARCHIVE_URL: url, ARCHIVE_S3_ENDPOINT: endpoint } = env;
  const place = url ? parseArchiveUrl(String(url)) : undefined;
  if (place && 'problem' in place) add('ARCHIVE_URL', place.problem);
  if (endpoint && !isHttpUrl(String(endpoint))) {
    add('ARCHIVE_S3_ENDPOINT', 'must be a URL that starts with https:// or http://');
  }
  return problems;
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

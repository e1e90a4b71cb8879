import type { Outcome } from '@belfry/shared';
import { blockedAddressCode, blockedPortCode } from './public-address';

/** A call that ended without a response. */
export type NetworkFailure = {
  code: string | undefined;
  /** Whether the whole request was written. Before that, nothing can have been sent. */
  isWritten: boolean;
  /** Host and port. Never the rest of the URL, which may contain secrets. */
  endpoint: string;
  /** Time from the start of the call to its failure. */
  elapsedMs: number;
};

export type FailedOutcome = Exclude<Outcome, { outcome: 'accepted' }>;

/** The only place that classifies a failed connection: certainly not sent, or unknown. */
export function classifyFailure(failure: NetworkFailure): FailedOutcome {
  const { reason, neverConnected, isBlocked } = getKind(failure.code);
  const detail = describeTransportError(failure);
  if (isBlocked) return { outcome: 'rejected', scope: 'integration', reason, detail };
  const isUnsent = neverConnected || !failure.isWritten;
  return { outcome: isUnsent ? 'retry' : 'unknown', reason, detail };
}

/** The only place that turns a transport error into a sentence. It names host and port. */
export function describeTransportError({
  code,
  endpoint,
  elapsedMs,
}: Omit<NetworkFailure, 'isWritten'>): string {
  return getKind(code).describe({ endpoint, code: code ?? 'no code', time: formatTime(elapsedMs) });
}

/** Whether an attempt with this reason got no answer, unlike one that the provider refused. */
export function isNoAnswer(reason: string): boolean {
  return noAnswerReasons.has(reason);
}

export function formatEndpoint(host: string, port: number): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`;
}

export function getEndpoint({ hostname, port, protocol }: URL): string {
  return formatEndpoint(hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
}

/** The code of a thrown value, preferably that of the system call. */
export function getErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function formatTime(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}

type Facts = { endpoint: string; code: string; time: string };
type Kind = {
  reason: string;
  describe(facts: Facts): string;
  neverConnected?: true;
  /** We refused to connect. */
  isBlocked?: true;
};

const privateAddress: Kind = {
  reason: 'private_address',
  describe: ({ endpoint }) =>
    `${endpoint} has a private or reserved address. Add the host to ALLOWED_PRIVATE_HOSTS to allow it.`,
  isBlocked: true,
};
const forbiddenPort: Kind = {
  reason: 'port_not_allowed',
  describe: ({ endpoint }) =>
    `${endpoint} was not contacted: mail is sent to port 25, 465, 587 or 2525 only. Add the host to ALLOWED_PRIVATE_HOSTS to allow other ports.`,
  isBlocked: true,
};
const connectionRefused: Kind = {
  reason: 'connection_refused',
  describe: ({ endpoint }) => `${endpoint} refused the connection.`,
  neverConnected: true,
};
const unresolved: Kind = {
  reason: 'host_not_found',
  describe: ({ endpoint }) => `The DNS name of ${endpoint} was not found.`,
  neverConnected: true,
};
const resolverDown: Kind = {
  reason: 'host_not_found',
  describe: ({ endpoint }) => `The DNS server did not answer the lookup of ${endpoint}.`,
  neverConnected: true,
};
const unreachable: Kind = {
  reason: 'unreachable',
  describe: ({ endpoint }) => `There is no network route to ${endpoint}.`,
  neverConnected: true,
};
/** The reason of every attempt that reached its deadline. */
export const timeoutReason = 'timeout';

const timedOut: Kind = {
  reason: timeoutReason,
  describe: ({ endpoint, time }) => `${endpoint} did not answer: timed out after ${time}.`,
};
const lost: Kind = {
  reason: 'connection_lost',
  describe: ({ endpoint }) => `The connection to ${endpoint} was lost before an answer came.`,
};
const failedTls: Kind = {
  reason: 'tls',
  describe: ({ endpoint, code }) =>
    `The TLS connection to ${endpoint} failed (${code}). Check whether the port uses TLS.`,
};
const garbled: Kind = {
  reason: 'unreadable_answer',
  describe: ({ endpoint }) => `${endpoint} sent an answer that could not be read.`,
};
const tooLarge: Kind = {
  reason: 'unreadable_answer',
  describe: ({ endpoint }) => `${endpoint} sent an answer that is too large.`,
};

function untrusted(problem: string): Kind {
  return {
    reason: 'tls',
    describe: ({ endpoint }) => `The TLS certificate of ${endpoint} ${problem}.`,
    neverConnected: true,
  };
}

const selfSigned = untrusted('is self-signed');
const unknownIssuer = untrusted('could not be verified: its issuer is unknown');

const kinds = new Map<string, Kind>([
  [blockedAddressCode, privateAddress],
  [blockedPortCode, forbiddenPort],
  ['ECONNREFUSED', connectionRefused],
  ['ENOTFOUND', unresolved],
  ['EDNS', unresolved],
  ['EAI_AGAIN', resolverDown],
  ['EHOSTUNREACH', unreachable],
  ['ENETUNREACH', unreachable],
  ['CERT_HAS_EXPIRED', untrusted('has expired')],
  ['CERT_NOT_YET_VALID', untrusted('is not valid yet')],
  ['ERR_TLS_CERT_ALTNAME_INVALID', untrusted('is for another host name')],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', selfSigned],
  ['SELF_SIGNED_CERT_IN_CHAIN', selfSigned],
  ['UNABLE_TO_GET_ISSUER_CERT', unknownIssuer],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownIssuer],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownIssuer],
  ['ABORT_ERR', timedOut],
  ['EABORT', timedOut],
  ['ETIMEDOUT', timedOut],
  ['EPROTO', failedTls],
  ['ETLS', failedTls],
  ['EPROTOCOL', garbled],
  ['ERESPONSETOOLARGE', tooLarge],
]);

/** An answer that could not be read is still an answer. */
const noAnswerReasons = new Set(
  [...kinds.values(), lost]
    .filter(({ isBlocked, reason }) => !isBlocked && reason !== garbled.reason)
    .map(({ reason }) => reason),
);

function getKind(code: string | undefined): Kind {
  if (code === undefined) return lost;
  if (/^(HPE_|ERR_HTTP_)/.test(code)) return garbled;
  if (code.startsWith('ERR_SSL_')) return failedTls;
  return kinds.get(code) ?? lost;
}

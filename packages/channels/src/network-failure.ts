import type { Outcome } from '@belfry/shared';
import { blockedAddressCode, blockedPortCode } from './public-address';

/** A call that ended without a response. */
export type NetworkFailure = {
  code: string | undefined;
  /** Whether the whole request was written. Before that, nothing can have been sent. */
  isWritten: boolean;
};

export type FailedOutcome = Exclude<Outcome, { outcome: 'accepted' }>;

/** The only place that classifies a failed connection: certainly not sent, or unknown. */
export function classifyFailure({ code, isWritten }: NetworkFailure): FailedOutcome {
  if (code === blockedAddressCode) return blocked;
  if (code === blockedPortCode) return blockedPort;
  const { reason, sentence, neverConnected } = getKind(code);
  if (neverConnected || !isWritten) return { outcome: 'retry', reason, detail: sentence };
  return {
    outcome: 'unknown',
    reason,
    detail: `${sentence} The request had been written, so it may have been carried out.`,
  };
}

/** The code of a thrown value, preferably that of the system call. */
export function getErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

const blocked: FailedOutcome = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'private_address',
  detail:
    'The host has a private or reserved address. Add it to ALLOWED_PRIVATE_HOSTS to allow it.',
};

const blockedPort: FailedOutcome = {
  outcome: 'rejected',
  scope: 'integration',
  reason: 'port_not_allowed',
  detail:
    'Mail is sent to port 25, 465, 587 or 2525 only. Add the host to ALLOWED_PRIVATE_HOSTS to allow other ports.',
};

type Kind = { reason: string; sentence: string; neverConnected?: true };

const connectionRefused: Kind = {
  reason: 'connection_refused',
  sentence: 'The provider’s host refused the connection.',
  neverConnected: true,
};
const unresolved: Kind = {
  reason: 'host_not_found',
  sentence: 'The provider’s host name could not be resolved.',
  neverConnected: true,
};
const unreachable: Kind = {
  reason: 'unreachable',
  sentence: 'There is no route to the provider’s host.',
  neverConnected: true,
};
const untrustedCertificate: Kind = {
  reason: 'tls',
  sentence: 'The provider’s TLS certificate could not be verified.',
  neverConnected: true,
};
/** The reason of every attempt that reached its deadline. */
export const timeoutReason = 'timeout';

const timedOut: Kind = {
  reason: timeoutReason,
  sentence: 'The provider did not answer in time.',
};
const lost: Kind = { reason: 'connection_lost', sentence: 'The connection was lost.' };
const garbled: Kind = {
  reason: 'unreadable_answer',
  sentence: 'The provider’s answer could not be read.',
};

const kinds = new Map<string, Kind>([
  ['ECONNREFUSED', connectionRefused],
  ['ENOTFOUND', unresolved],
  ['EAI_AGAIN', unresolved],
  ['EDNS', unresolved],
  ['EHOSTUNREACH', unreachable],
  ['ENETUNREACH', unreachable],
  ['CERT_HAS_EXPIRED', untrustedCertificate],
  ['CERT_NOT_YET_VALID', untrustedCertificate],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', untrustedCertificate],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrustedCertificate],
  ['UNABLE_TO_GET_ISSUER_CERT', untrustedCertificate],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrustedCertificate],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrustedCertificate],
  ['ERR_TLS_CERT_ALTNAME_INVALID', untrustedCertificate],
  ['ABORT_ERR', timedOut],
  ['EABORT', timedOut],
  ['ETIMEDOUT', timedOut],
  ['ERESPONSETOOLARGE', garbled],
]);

function getKind(code: string | undefined): Kind {
  if (code === undefined) return lost;
  if (/^(HPE_|ERR_HTTP_)/.test(code)) return garbled;
  return kinds.get(code) ?? lost;
}

import type { AccountStorage } from '@belfry/pipeline/operate';
import type { Finding } from './doctor-check';
import { formatBytes } from './format-bytes';

/** From here on an operator is told. */
const warningShare = 0.8;

/** Accounts that are over their storage limit or near it; they are given fullest first. */
export function judgeStorage(accounts: AccountStorage[]): Finding[] {
  const near = accounts.filter(
    ({ isFull, storedBytes, limitBytes }) =>
      isFull || storedBytes >= warningShare * Number(limitBytes),
  );
  if (near.length > 0) return near.map(judgeAccount);
  const [fullest] = accounts;
  const detail = fullest
    ? `No account is near its limit. The fullest is ${describeStorage(fullest)}`
    : 'No account has a limit: STORAGE_LIMIT_MB_PER_ACCOUNT or `belfry account quota` sets one.';
  return [{ name: 'storage', state: 'ok', detail }];
}

function judgeAccount(account: AccountStorage): Finding {
  const advice = account.isFull
    ? ' Its calls that store something are refused with `storage_limit`. A higher quota: belfry account quota ID SIZE'
    : '';
  return { name: 'storage', state: 'warning', detail: `${describeStorage(account)}${advice}` };
}

/** A sentence about one account. */
export function describeStorage({ id, name, storedBytes, limitBytes }: AccountStorage): string {
  if (limitBytes === undefined) return `"${name}" (${id}): no limit.`;
  return `"${name}" (${id}): ${formatBytes(storedBytes)} of ${formatBytes(limitBytes)}.`;
}

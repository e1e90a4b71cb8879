import type { AccountStorage } from '@belfry/pipeline/operate';
import type { Finding } from './doctor-check';
import { formatBytes } from './format-bytes';

/** Accounts from this share on are reported. */
const warningShare = 0.8;

/** Reports accounts over or near their storage limit. `accounts` is sorted, fullest first. */
export function judgeStorage(accounts: AccountStorage[]): Finding[] {
  const near = accounts.filter(
    ({ isFull, storedBytes, limitBytes }) =>
      isFull || storedBytes >= warningShare * Number(limitBytes),
  );
  if (near.length > 0) return near.map(judgeAccount);
  const [fullest] = accounts;
  const detail = fullest
    ? `No account is near its limit. The fullest: ${describeStorage(fullest)}`
    : 'No account has a limit. STORAGE_LIMIT_MB_PER_ACCOUNT or `belfry account quota` sets one.';
  return [{ name: 'storage', state: 'ok', detail }];
}

function judgeAccount(account: AccountStorage): Finding {
  const advice = account.isFull
    ? ' Requests that store data are refused with `storage_limit`. To raise the limit: belfry account quota ID SIZE'
    : '';
  return { name: 'storage', state: 'warning', detail: `${describeStorage(account)}${advice}` };
}

export function describeStorage({ id, name, storedBytes, limitBytes }: AccountStorage): string {
  if (limitBytes === undefined) return `"${name}" (${id}): no limit.`;
  return `"${name}" (${id}): ${formatBytes(storedBytes)} of ${formatBytes(limitBytes)}.`;
}

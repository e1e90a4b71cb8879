import type { Recipient } from '@belfry/shared';
import type { Targeting } from '../channel';

/** The inbox of a `user_id`, byte for byte. The user need not be stored. */
export function findInAppTargets({ userId }: Recipient): Targeting {
  if (userId !== undefined) return { targets: [{ address: userId }] };
  return { skip: 'no_address', detail: 'The recipient has no user_id.' };
}

/** For example, `sandbox+bounce`. */
export function findMagicWordOfUser(target: string): string | undefined {
  return /^sandbox\+([a-z]+)$/i.exec(target)?.[1]?.toLowerCase();
}

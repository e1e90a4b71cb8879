import { AppError } from '@belfry/shared';
import type { App } from './middleware/before-body';

/** Refuses calls that would store data. Accepted messages are still delivered, and receipts of providers are still stored. */
export function requireStorage({ isStorageFull }: Pick<App, 'isStorageFull'>): void {
  if (isStorageFull) throw new AppError('storage_limit');
}

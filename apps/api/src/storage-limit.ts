import { AppError } from '@belfry/shared';
import type { App } from './middleware/authenticate';

/** For every call that would store something. What was accepted before is delivered, and providers' receipts are stored. */
export function requireStorage({ isStorageFull }: Pick<App, 'isStorageFull'>): void {
  if (isStorageFull) throw new AppError('storage_limit');
}

import { formatErasedTarget } from '@belfry/shared';

/** A message of somebody who was erased, as a condition on the alias of its row. */
export function isErased(alias: string): string {
  return `starts_with(${alias}.target, '${formatErasedTarget('')}')`;
}

import { formatErasedTarget } from '@belfry/shared';

/** SQL condition: the message with this alias belongs to an erased user. */
export function isErased(alias: string): string {
  return `starts_with(${alias}.target, '${formatErasedTarget('')}')`;
}

/**
 * SQL condition: the item is planned. Fan-out plans in order and stores its progress in the request. Items that are planned
 * out of order (a single send, an erased user) have their own time.
 */
export function isPlanned(item: string, request: string): string {
  return `(${item}.planned_at IS NOT NULL OR ${item}.item < ${request}.planned_to)`;
}

/** SQL expression: how many items of the request are planned, at least. */
export function countPlanned(request: string): string {
  return `least(${request}.items, greatest(${request}.planned_items, ${request}.planned_to))`;
}

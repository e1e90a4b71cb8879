/**
 * Whether an item is planned, as a condition on the aliases of its row and of its request's. Fanout plans in order and
 * moves a number at the request; what is planned out of turn (a single send, a person who is erased) has a time of its own.
 */
export function isPlanned(item: string, request: string): string {
  return `(${item}.planned_at IS NOT NULL OR ${item}.item < ${request}.planned_to)`;
}

/** How many items of a request are planned, as an expression on its row's alias: all of them, or at least so many. */
export function countPlanned(request: string): string {
  return `least(${request}.items, greatest(${request}.planned_items, ${request}.planned_to))`;
}

export type PlanProgress = { items: number; plannedItems: number; plannedTo: number };

/** The same of a row that was read. */
export function countPlannedItems({ items, plannedItems, plannedTo }: PlanProgress): number {
  return Math.min(items, Math.max(plannedItems, plannedTo));
}

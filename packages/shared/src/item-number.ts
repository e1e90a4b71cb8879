/** The number of an item for people. They count the items of a bulk request from 1; the API and the database from 0. */
export function toItemNumber(item: number): number {
  return item + 1;
}

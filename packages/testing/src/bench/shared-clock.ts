/**
 * Milliseconds of the system's monotonic clock (clock_gettime(2), CLOCK_MONOTONIC), the same in all processes. The origins of
 * `performance` follow the wall clock at the start of each process, and that clock may be set meanwhile.
 */
export function readSharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

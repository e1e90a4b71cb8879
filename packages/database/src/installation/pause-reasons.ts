/** Why sending of a whole installation is paused. */
const pauseReasons = {
  operator: 'An operator paused this installation.',
  copied:
    'This database is not where it was: it was restored from a dump, copied, or moved to another server.',
  behind_redis: 'This database is older than its Redis, so it was restored from a backup.',
  other_redis: 'Redis belongs to another installation, or to a newer copy of this one.',
  new_stores: 'This database was restored or promoted, and its Redis is empty.',
} as const;

export type PauseReason = keyof typeof pauseReasons;

/** Says why and what to do. */
export function describePause(reason: PauseReason): string {
  return (
    `Sending is paused. ${pauseReasons[reason]} ` +
    'If this is the installation that must send, stop every other copy, then run: belfry installation confirm'
  );
}

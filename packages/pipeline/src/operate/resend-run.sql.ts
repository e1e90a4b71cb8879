/** Returns the id of the resend by filter that created a message; `writeGenerations` stores it in the notes. */
export function getResendRun(notes: unknown): string | null {
  const { resend_run: run } = (notes ?? {}) as { resend_run?: unknown };
  return typeof run === 'string' ? run : null;
}

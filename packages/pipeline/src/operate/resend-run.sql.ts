/** The resend by filter that made a message, as `writeGenerations` noted it. */
export function getResendRun(notes: unknown): string | null {
  const { resend_run: run } = (notes ?? {}) as { resend_run?: unknown };
  return typeof run === 'string' ? run : null;
}

/** A start failed for a reason that the user can fix; shown without a stack trace. */
export class StartError extends Error {
  /** Ends the start with 78 (EX_CONFIG of sysexits.h). */
  readonly isConfiguration: boolean;

  constructor(message: string, options: ErrorOptions & { isConfiguration?: boolean } = {}) {
    super(message, options);
    this.name = 'StartError';
    this.isConfiguration = options.isConfiguration ?? false;
  }
}

import { type DashboardErrorCode, dashboardErrors } from './api-types/errors';

/** A failure that the operator is told about; its message never holds a secret. */
export class Refusal extends Error {
  readonly code: DashboardErrorCode;
  readonly details: unknown;
  readonly headers: Record<string, string>;

  constructor(
    code: DashboardErrorCode,
    message: string,
    { details, headers = {} }: { details?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
    this.headers = headers;
  }

  get status(): number {
    return dashboardErrors[this.code].status;
  }
}

/** GET api/audit?before=<id>: newest first, 50 a page. */
export type AuditAnswer = { entries: AuditRow[]; next: string | null };

export type AuditRow = {
  id: string;
  at: number;
  operator: string | null;
  appId: string | null;
  /** A verb and its object: `integration.removed`. */
  action: string;
  subject: string;
  change: unknown;
};

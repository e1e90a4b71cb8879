/** One line of the report. */
export type Finding = {
  name: string;
  /** Only `failed` makes `doctor` exit with 1. */
  state: 'ok' | 'warning' | 'failed';
  /** The result, and what to do about a problem. */
  detail: string;
};

/** If `examine` rejects, the check has failed with the error's message. */
export type Check = { name: string; examine(): Promise<Finding[]> };

/** Converts the result of a start-up check. */
export function toFindings(
  name: string,
  result: { refusals: string[]; warnings: string[] },
  okDetail: string,
): Finding[] {
  const findings: Finding[] = [
    ...result.refusals.map((detail) => ({ name, state: 'failed' as const, detail })),
    ...result.warnings.map((detail) => ({ name, state: 'warning' as const, detail })),
  ];
  return findings.length > 0 ? findings : [{ name, state: 'ok', detail: okDetail }];
}

/** One thing that the doctor found: a line of its table. */
export type Finding = {
  name: string;
  /** A warning needs a look; only what failed makes the exit code. */
  state: 'ok' | 'warning' | 'failed';
  /** What was found; where it is not well, what to do. */
  detail: string;
};

/** A rejection is a finding that failed, with the error's text. */
export type Check = { name: string; examine(): Promise<Finding[]> };

/** As a check of a store at the start gives them. */
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

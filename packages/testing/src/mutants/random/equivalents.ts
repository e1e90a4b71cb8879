/** A mutation that changes nothing that a caller, a user or an operator could notice; no test can catch it. */
export type Equivalent = {
  file: string;
  /** The lines without their indentation. */
  before: string;
  after: string;
  reason: string;
};

export const equivalents: Equivalent[] = [];

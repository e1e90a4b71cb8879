import { getSqlState } from '../transaction';

const uniqueViolation = '23505';

/** `taken` when a unique index refuses the name. */
export async function unlessTaken<T>(work: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await work();
  } catch (error) {
    if (getSqlState(error) === uniqueViolation) return 'taken';
    throw error;
  }
}

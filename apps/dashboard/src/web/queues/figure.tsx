import { count } from '../format';

/** A cell with a number; 0 is faint. */
export function Figure({ value }: { value: number }) {
  return <td className={value === 0 ? 'num zero' : 'num'}>{count(value)}</td>;
}

import { count } from '../format';

/** A cell with a number; 0 is faint. */
export function Figure({
  value,
  limit,
  isOptional = false,
}: {
  value: number;
  limit?: number;
  isOptional?: boolean;
}) {
  const classes = ['num', value === 0 && 'zero', isOptional && 'opt'].filter(Boolean);
  return <td className={classes.join(' ')}>{count(value, limit)}</td>;
}

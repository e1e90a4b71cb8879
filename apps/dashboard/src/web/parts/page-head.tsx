import type { ReactNode } from 'react';

/** What a page of the account is about, and what adds to it. */
export function PageHead({ children, action }: { children: ReactNode; action: ReactNode }) {
  return (
    <div className="pad page-head">
      <p className="dim">{children}</p>
      {action}
    </div>
  );
}

/** The head of the last column, whose buttons speak for themselves. */
export function ActsHead() {
  return (
    <th>
      <span className="vh">What can be done</span>
    </th>
  );
}

import type { ReactNode } from 'react';

/** Introduction and action button of an account page. */
export function PageHead({ children, action }: { children: ReactNode; action: ReactNode }) {
  return (
    <div className="pad page-head">
      <p className="dim">{children}</p>
      {action}
    </div>
  );
}

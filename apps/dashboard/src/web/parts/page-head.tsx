import type { ReactNode } from 'react';
import styles from './page-head.module.css';

/** Introduction and action button of an account page. */
export function PageHead({ children, action }: { children: ReactNode; action: ReactNode }) {
  return (
    <div className={`pad ${styles.head}`}>
      <p className="dim">{children}</p>
      {action}
    </div>
  );
}

import type { ReactNode } from 'react';
import styles from './preview.module.css';
import type { Look, Run } from './runs';

/** Runs never change their order, so the index is a stable key. */
export function Formatted({ runs }: { runs: Run[] }) {
  let from = 0;
  return runs.map(({ text, looks }) => {
    from += text.length + 1;
    return (
      <span key={from}>
        {looks.reduceRight((inner, look) => renderLook(look, inner), text as ReactNode)}
      </span>
    );
  });
}

function renderLook(look: Look, inner: ReactNode): ReactNode {
  switch (look) {
    case 'strong':
      return <b>{inner}</b>;
    case 'em':
      return <em>{inner}</em>;
    case 'under':
      return <u>{inner}</u>;
    case 'strike':
      return <s>{inner}</s>;
    case 'code':
      return <code>{inner}</code>;
    default:
      return <span className={styles[look]}>{inner}</span>;
  }
}

import { useState } from 'react';
import { Button } from '../parts/controls';
import styles from './text-diff.module.css';
import { foldRows, isChangedRow, type Side, type TextRow, textRows } from './text-rows';

type TextDiffProps = { label: string; titles: [string, string]; before: string; after: string };

/** Two texts side by side. Removed text has a minus and is struck through; added text has a plus and is underlined. */
export function TextDiff({ label, titles, before, after }: TextDiffProps) {
  const rows = textRows(before, after);
  const isLong = rows.length > 1;
  return (
    <>
      <table className={isLong ? styles.table : `${styles.table} ${styles.oneLine}`}>
        <caption className="vh">{label}</caption>
        <colgroup>
          {isLong && <col className={styles.line} />}
          <col />
          {isLong && <col className={styles.line} />}
          <col />
        </colgroup>
        <thead>
          <tr>
            {isLong && <th>Line</th>}
            <th>{titles[0]}</th>
            {isLong && <th>Line</th>}
            <th>{titles[1]}</th>
          </tr>
        </thead>
        {foldRows(rows).map((run) => (
          <RowGroup
            key={`${run.rows[0]?.before?.line} ${run.rows[0]?.after?.line}`}
            rows={run.rows}
            isFolded={run.isFolded}
            isLong={isLong}
          />
        ))}
      </table>
      {!rows.some(isChangedRow) && (
        <p className="faint small">The texts differ only in their line endings.</p>
      )}
    </>
  );
}

function RowGroup({
  rows,
  isFolded,
  isLong,
}: {
  rows: TextRow[];
  isFolded: boolean;
  isLong: boolean;
}) {
  const [isOpen, setOpen] = useState(!isFolded);
  if (!isOpen) {
    return (
      <tbody>
        <tr className={styles.fold}>
          <td colSpan={4}>
            <Button look="small bare" onClick={() => setOpen(true)}>
              Show {rows.length} unchanged lines
            </Button>
          </td>
        </tr>
      </tbody>
    );
  }
  return (
    <tbody>
      {rows.map((row) => (
        <tr key={`${row.before?.line} ${row.after?.line}`}>
          {isLong && <td className={styles.line}>{row.before?.line}</td>}
          <SideCell side={row.before} change="removed" />
          {isLong && <td className={styles.line}>{row.after?.line}</td>}
          <SideCell side={row.after} change="added" />
        </tr>
      ))}
    </tbody>
  );
}

const signs = {
  removed: { sign: '−', word: 'Removed: ' },
  added: { sign: '+', word: 'Added: ' },
};

function SideCell({ side, change }: { side: Side | undefined; change: 'removed' | 'added' }) {
  if (!side) return <td className={`${styles.text} ${styles.none}`} />;
  const Changed = change === 'removed' ? 'del' : 'ins';
  let offset = 0;
  return (
    <td className={side.isChanged ? `${styles.text} ${styles[change]}` : styles.text}>
      {side.isChanged && (
        <>
          <span className={styles.sign} aria-hidden="true">
            {signs[change].sign}
          </span>
          <span className="vh">{signs[change].word}</span>
        </>
      )}
      {side.parts.map(({ text, isChanged }) => {
        const key = offset;
        offset += text.length;
        return isChanged ? <Changed key={key}>{text}</Changed> : <span key={key}>{text}</span>;
      })}
    </td>
  );
}

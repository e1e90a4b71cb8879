import type { ReactNode } from 'react';
import type { Loaded } from '../answers';
import type { PageProblem } from '../api';
import { Button } from './controls';
import { Moment } from './moment';
import { Mark } from './state-mark';

type Tone = 'red' | 'amber' | 'green' | 'plain';

const toneMarks: Record<Tone, string> = {
  red: 'failed',
  amber: 'attention',
  green: 'delivered',
  plain: 'dot',
};

export function NoteBox({
  tone,
  title,
  children,
  action,
}: {
  tone: Tone;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`note-box ${tone}`} role={tone === 'red' ? 'alert' : undefined}>
      <Mark name={toneMarks[tone]} />
      <div>
        {title && <b>{title}</b>}
        {children && <p>{children}</p>}
      </div>
      {action}
    </div>
  );
}

export function ProblemNote({ problem }: { problem: PageProblem | undefined }) {
  return problem ? <NoteBox tone="red">{problem.error}</NoteBox> : null;
}

/** While the server is unavailable, the page keeps the last data and shows its time. */
export function AwayBar({
  loaded,
  reload,
}: {
  loaded: Loaded<unknown>;
  reload: () => Promise<void>;
}) {
  const { problem, readAt } = loaded;
  if (!problem) return null;
  return (
    <div className="away" role="status">
      <Mark name="attention" />
      <span className="grow">
        {problem.error}{' '}
        {readAt && (
          <b>
            Showing data as of <Moment at={readAt} />.
          </b>
        )}
      </span>
      <Button look="small" onClick={() => void reload()}>
        Try again
      </Button>
    </div>
  );
}

/** Loading and error state of a page. */
export function Waiting({
  loaded,
  reload,
  what,
}: {
  loaded: Loaded<unknown>;
  reload: () => Promise<void>;
  what: string;
}) {
  if (!loaded.problem) return <p className="waiting-line">Loading {what}…</p>;
  return (
    <div className="pad">
      <NoteBox
        tone={loaded.problem.code === 'not_found' ? 'plain' : 'amber'}
        title={loaded.problem.code === 'not_found' ? 'Not found' : `Cannot load ${what}`}
        action={<Button onClick={() => void reload()}>Try again</Button>}
      >
        {loaded.problem.error}
      </NoteBox>
    </div>
  );
}

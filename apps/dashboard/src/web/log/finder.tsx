import { maxMetadataTextCharacters } from '@belfry/shared';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { FindAnswer, FindResult } from '../../api/find';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { Icon } from '../parts/icons';
import { ProblemNote } from '../parts/notes';
import { toJump } from '../shell/jumps';
import type { PageFilters } from './filters';
import styles from './log.module.css';
import { mergeMatches } from './matches';
import { NoMatch } from './no-match';

/** Searches an ID, address, number, name or key. One match becomes the filter at once; several are offered. */
export function Finder({ onFind }: { onFind: (change: PageFilters) => void }) {
  const app = useApp();
  const { api } = useServices();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const latestText = useRef('');
  const [answer, setAnswer] = useState<FindAnswer>();
  const [problem, setProblem] = useState<PageProblem>();
  function change(next: string) {
    setText(next);
    latestText.current = next;
    setAnswer(undefined);
    setProblem(undefined);
  }
  function open(match: FindResult) {
    change('');
    if (match.filters && match.appId === app.id) return onFind(match.filters);
    const { to = '/', search = '' } = toJump(match, () => '');
    void navigate({ pathname: to, search });
  }
  async function find() {
    const typed = text.trim();
    if (typed === '') return;
    const result = await api.call('GET /api/find', { query: { text: typed, app: app.id } });
    // A late answer is about a text that was changed meanwhile.
    if (latestText.current.trim() !== typed) return;
    if ('problem' in result) return setProblem(result.problem);
    const [match, ...others] = mergeMatches(result.value.found);
    if (match && others.length === 0) return open(match);
    setAnswer(result.value);
  }
  return (
    <form
      className="finder"
      onSubmit={(event) => {
        event.preventDefault();
        void find();
      }}
    >
      <Icon name="search" size={14} />
      <input
        className="input"
        aria-label="Find a request"
        placeholder="Any ID, address, event or key"
        maxLength={maxMetadataTextCharacters}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      {text.trim() === '' ? (
        <kbd className="key" data-keys="/" />
      ) : (
        <Results answer={answer} problem={problem} onOpen={open} />
      )}
    </form>
  );
}

function Results({
  answer,
  problem,
  onOpen,
}: {
  answer: FindAnswer | undefined;
  problem: PageProblem | undefined;
  onOpen: (match: FindResult) => void;
}) {
  const { apps } = useSession();
  const app = useApp();
  const getAppName = (id: string) => apps.find((one) => one.id === id)?.name ?? 'another app';
  const matches = mergeMatches(answer?.found ?? []);
  return (
    <div className={styles.results} role="status">
      <ProblemNote problem={problem} />
      {!answer && !problem && (
        <span className="dim small">
          <kbd data-keys="Enter" /> to search
        </span>
      )}
      {answer && matches.length === 0 && <NoMatch answer={answer} />}
      {matches.map((match) => (
        <Button
          key={`${match.kind} ${match.label} ${match.appId}`}
          look="small"
          onClick={() => onOpen(match)}
        >
          {match.label}
          {match.appId !== app.id && ` in ${getAppName(match.appId)}`}
        </Button>
      ))}
    </div>
  );
}

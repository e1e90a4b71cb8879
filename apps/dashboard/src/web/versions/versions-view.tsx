import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { EventAnswer } from '../../api/events';
import type { PageProblem } from '../api';
import { useApp } from '../context';
import { ConflictBar } from '../editor/conflict-bar';
import { listChanges } from '../editor/definition';
import type { Draft } from '../editor/use-draft';
import { useKeys } from '../keyboard';
import { Button, Link } from '../parts/controls';
import { Divider } from '../parts/divider';
import { IgnoredParams } from '../parts/ignored-params';
import { ProblemNote, Waiting } from '../parts/notes';
import { buildPath } from '../route';
import { Comparison } from './comparison';
import { RollBackDialog } from './roll-back-dialog';
import { useVersion, useVersionList } from './use-version';
import { VersionHead } from './version-head';
import { VersionList } from './version-list';
import { draftName, type VersionPlace, versionSearch } from './version-place';
import styles from './versions.module.css';

const listPx = 340;

type VersionsProps = {
  event: EventAnswer;
  draft: Draft;
  place: VersionPlace;
  ignored: readonly string[];
  /** The event and its draft. */
  onEvent: (event: EventAnswer) => void;
  onReload: () => Promise<void>;
};

/** The versions of an event and their differences. */
export function VersionsView(props: VersionsProps) {
  const { event, draft, place, ignored } = props;
  const app = useApp();
  const list = useVersionList(event);
  /** On a phone the list and the version are not beside each other. */
  const [isListShown, setListShown] = useState(false);
  const hasDraft = !event.live || listChanges(event.live.definition, draft.definition).length > 0;
  useSteps([...(hasDraft ? [draftName] : []), ...list.versions.map(({ id }) => id)], place);
  return (
    <div className="split">
      <div>
        <div className="bar">
          <Link className="btn small" to={buildPath(app.id, 'events', event.id)}>
            Back to the editor
          </Link>
          <Button
            look="small"
            className={styles.toList}
            aria-pressed={isListShown}
            onClick={() => setListShown(!isListShown)}
          >
            All versions
          </Button>
          <span className={`dim small ${styles.intro}`}>
            Versions never change. A message uses the version that was live when its request was
            accepted.
          </span>
        </div>
        <ConflictBar draft={draft} />
        <IgnoredParams ignored={ignored} />
      </div>
      <div className={`body ${styles.panes} ${isListShown ? styles.listed : ''}`}>
        <VersionList
          {...{ event, list, hasDraft }}
          openId={place.version}
          onOpen={() => setListShown(false)}
        />
        <VersionDetail
          key={place.version}
          {...props}
          versions={list.versions}
          isShown={!isListShown}
        />
        <Divider name="versions" side="first" initialPx={listPx} />
      </div>
    </div>
  );
}

/** Keys to move through the list and return to the editor. */
function useSteps(rows: readonly string[], { version }: VersionPlace) {
  const navigate = useNavigate();
  const step = (by: number) => () => {
    const next = rows[rows.indexOf(version) + by];
    if (next) void navigate({ search: versionSearch(next) });
  };
  const toEditor = () => void navigate({ search: '' });
  useKeys({ j: step(1), ArrowDown: step(1), k: step(-1), ArrowUp: step(-1), Escape: toEditor });
}

function VersionDetail({
  event,
  draft,
  place,
  versions,
  isShown,
  onEvent,
  onReload,
}: VersionsProps & {
  versions: ReturnType<typeof useVersionList>['versions'];
  /** Whether it is shown on a phone. */
  isShown: boolean;
}) {
  const navigate = useNavigate();
  const [isRollingBack, setRollingBack] = useState(false);
  const [problem, setProblem] = useState<PageProblem>();
  const after = useVersion(event, draft, place.version);
  const againstId = place.against ?? after.viewedVersion?.previousId;
  const before = useVersion(event, draft, againstId);
  const { viewedVersion } = after;
  const go = (search: string) => void navigate({ search });
  const missing = viewedVersion ? before : after;
  if (!viewedVersion || (againstId && !before.viewedVersion)) {
    return (
      <section className={`pane ${styles.detail}`} aria-label="Version">
        <Waiting loaded={missing.loaded} reload={missing.loaded.reload} what="version" />
      </section>
    );
  }
  function adopt(next: EventAnswer) {
    setRollingBack(false);
    onEvent(next);
    if (next.live) go(versionSearch(next.live.id));
  }
  return (
    <section className={`pane ${styles.detail}`} aria-label="Version">
      <VersionHead
        {...{ event, draft, viewedVersion, versions, isShown, onEvent }}
        before={before.viewedVersion}
        onAgainst={(id) => go(versionSearch(viewedVersion.id, id))}
        onRollBack={() => setRollingBack(true)}
        onProblem={setProblem}
      />
      <ProblemNote problem={problem} />
      <Comparison before={before.viewedVersion} after={viewedVersion} />
      {isRollingBack && event.live && (
        <RollBackDialog
          {...{ event, draft, onReload }}
          to={viewedVersion}
          onClose={() => setRollingBack(false)}
          onEvent={adopt}
        />
      )}
    </section>
  );
}

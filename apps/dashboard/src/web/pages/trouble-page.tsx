import { isAway, type Loaded } from '../answers';
import { Button } from '../parts/controls';
import { Bell } from '../parts/icons';

/** Shown if the session or the apps cannot be read. */
export function TroublePage({
  loaded,
  reload,
}: {
  loaded: Loaded<unknown>;
  reload: () => Promise<void>;
}) {
  if (!loaded.problem) return <main className="alone" aria-busy="true" aria-label="Belfry" />;
  return (
    <main className="alone">
      <div className="brand">
        <Bell />
        Belfry
      </div>
      <h1>The dashboard is unavailable</h1>
      <p>
        {loaded.problem.error}
        {isAway(loaded.problem) && ' This page tries again every 5 s.'}
      </p>
      <Button look="main-action" onClick={() => void reload()}>
        Try again
      </Button>
    </main>
  );
}

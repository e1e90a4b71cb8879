import type { Loaded } from '../answers';
import { Button } from '../parts/controls';
import { Bell } from '../parts/icons';

/** The server was never reached: what is safe, and a way to go on. */
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
      <h1>The dashboard cannot be read</h1>
      <p>{loaded.problem.error} Messages go on by themselves. This page asks again every 5 s.</p>
      <Button look="main-action" onClick={() => void reload()}>
        Try again
      </Button>
    </main>
  );
}

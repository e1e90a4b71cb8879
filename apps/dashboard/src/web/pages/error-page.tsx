import { useEffect, useState } from 'react';
import { useRouteError } from 'react-router';
import { CopyButton, Link } from '../parts/controls';

/** Instead of a page that failed. The ID connects a report by the operator with the browser's console. */
export function ErrorPage() {
  const error = useRouteError();
  const [id] = useState(() => crypto.randomUUID());
  const text = error instanceof Error ? error.message : String(error);
  useEffect(() => {
    // biome-ignore lint/suspicious/noConsole: a page has no other log; the ID leads to this line.
    console.error(`Page error ${id}`, error);
  }, [id, error]);
  const report = () =>
    [
      `Page error ${id}`,
      new Date().toISOString(),
      window.location.pathname,
      error instanceof Error ? error.stack : text,
    ].join('\n');
  return (
    <div className="empty" role="alert">
      <h2>This page failed</h2>
      <p>{text}</p>
      <p>
        Accepted messages are still sent. Error ID: <code>{id}</code>
      </p>
      <p>
        <CopyButton text={report} label="Copy the details" look="small">
          Copy the details
        </CopyButton>{' '}
        <a className="btn small" href={window.location.href}>
          Reload the page
        </a>{' '}
        <Link to="/">Open the log</Link>
      </p>
    </div>
  );
}

import { useHref } from 'react-router';
import type { Route } from '../route';
import styles from './top-bar.module.css';

const dashboard = 'reference/dashboard.md';

/** The page of the documentation for each page. The dashboard serves it, so that it works offline and fits the version. */
const documents: Partial<Record<Route['page'], string>> = {
  overview: dashboard,
  log: 'how-to/find-a-message.md',
  resends: dashboard,
  events: 'reference/templates.md',
  integrations: dashboard,
  queues: 'reference/states.md',
  alerts: 'how-to/get-alerts.md',
  sandbox: 'reference/sandbox.md',
  users: dashboard,
  webhooks: 'reference/webhooks.md',
  keys: 'how-to/rotate-keys.md',
  apps: 'reference/configuration.md',
  people: dashboard,
  account: dashboard,
  audit: dashboard,
};

export function DocsLink({ page }: { page: Route['page'] }) {
  const file = documents[page];
  const href = useHref(`/docs/${file}`);
  if (file === undefined) return null;
  return (
    <a className={`btn small bare ${styles.docs}`} href={href} target="_blank" rel="noreferrer">
      Docs
    </a>
  );
}

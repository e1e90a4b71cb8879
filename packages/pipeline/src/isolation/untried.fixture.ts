/** Files whose statements are not checked here. */
export const untried: Record<string, string> = {
  'migrate.ts': 'creates the tables before there is an account',
  'primary.ts': 'reads no table',
  'packages/embedded/src/databases.ts': 'creates whole databases for local starts and tests',
};

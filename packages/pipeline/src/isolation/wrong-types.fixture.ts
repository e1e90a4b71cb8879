import type pg from 'pg';

/** Statements whose declared types are wrong, but for the first; see compare-types.int.test.ts. */
export const wrongStatements: ((client: pg.Client) => Promise<pg.QueryResult>)[] = [
  (client) =>
    client.query<{ id: string; name: string; count: number }>(
      'SELECT id, name, 1 AS count FROM app WHERE id = $1 AND created_at < $2 AND name = ANY ($3)',
      [anyId, new Date(), ['a', undefined]],
    ),
  (client) => client.query('DELETE FROM message WHERE id = $1 AND item = $2', [anyId, '1']),
  (client) =>
    client.query<{ id: string; tittle: string }>('SELECT id FROM app WHERE id = $1', [anyId]),
  (client) => client.query<{ id: string }>('SELECT id, name FROM app WHERE id = $1', [anyId]),
  (client) =>
    client.query<{ jobId: string }>('SELECT job_id AS "jobId" FROM message WHERE id = $1', [anyId]),
  (client) =>
    client.query<{ name: string }>(
      'SELECT a.name FROM integration i LEFT JOIN app a ON a.id = i.app_id WHERE i.id = $1',
      [anyId],
    ),
  (client) =>
    client.query<{ note: string }>('SELECT NULL::text AS note WHERE $1::uuid IS NULL', [null]),
  (client) =>
    client.query<{ createdAt: string }>('SELECT created_at AS "createdAt" FROM app WHERE id = $1', [
      anyId,
    ]),
  (client) => client.query('SELECT name FROM app WHERE id = $1', [anyId]),
];

const anyId = '00000000-0000-4000-8000-000000000000';

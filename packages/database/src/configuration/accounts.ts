import { newId, type Secrets } from '@belfry/runtime';
import type pg from 'pg';
import { createSystemActor, writeAudit } from '../audit';
import { inTransaction, type Queryable } from '../transaction';
import { insertApiKey } from './api-keys';
import { insertApp, type NewApp } from './apps';

type NewAccount = { accountId: string; apiKeyId: string; apiKey: string; appId: string };

/** An account with its first API key and its first app. */
export async function createAccount(
  pool: pg.Pool,
  secrets: Pick<Secrets, 'seal'>,
  { name, app }: { name: string; app: NewApp },
): Promise<NewAccount> {
  return inTransaction(pool, async (client) => {
    const accountId = await insertAccount(client, name);
    const actor = createSystemActor(accountId);
    const { id: apiKeyId, key: apiKey } = await insertApiKey(client, actor, secrets);
    const appId = await insertApp(client, actor, app);
    return { accountId, apiKeyId, apiKey, appId };
  });
}

export async function insertAccount(client: Queryable, name: string): Promise<string> {
  const id = newId();
  await client.query('INSERT INTO account (id, name) VALUES ($1, $2)', [id, name]);
  const entry = { action: 'account.created', subject: id, change: { name } };
  await writeAudit(client, createSystemActor(id), entry);
  return id;
}

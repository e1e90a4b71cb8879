import type { Secrets } from '@belfry/runtime';
import type { VersionInput } from '@belfry/shared';
import type pg from 'pg';
import { type Actor, createSystemActor } from './audit';
import { createAccount } from './configuration/accounts';
import { createAccountKeys } from './configuration/api-keys';
import { createAccountApps } from './configuration/apps';
import { createAppEvents } from './configuration/events';
import { createInboxSecrets } from './configuration/inbox-secrets';
import { apiKeyPlace, inboxSecretPlace } from './look-ups';

export type Demo = {
  accountId: string;
  apiKey: string;
  appId: string;
  eventName: string;
  inboxAppId: string;
  inboxEventName: string;
  /** Signs the tokens of the readers of this inbox. */
  inboxSecret: { id: string; secret: string };
};

const accountName = 'Demo account';
const demoApp = { name: 'Demo app', delivery: 'sandbox' } as const;
/** The sandbox captures in-app messages, too. In this live app they arrive, and nothing leaves the machine: it has no other channel. */
const inboxApp = { name: 'Demo inbox', delivery: 'live' } as const;

type SeedDeps = { pool: pg.Pool; secrets: Secrets };

/**
 * Creates the missing parts of the demo account: an API key, an app in sandbox delivery, one for its inbox, and live events.
 * In SQL, because loading Prisma and its query compiler takes a second of each `npm start`.
 */
export async function seedDemo(deps: SeedDeps): Promise<Demo> {
  const account = await findOrCreateAccount(deps);
  const actor = createSystemActor(account.accountId);
  const inboxAppId = await findOrCreateApp(deps, actor, inboxApp);
  const inboxSecret = await findOrCreateInboxSecret(deps, actor, inboxAppId);
  await createMissingEvents(deps, { actor, appId: account.appId, events: demoEvents });
  await createMissingEvents(deps, { actor, appId: inboxAppId, events: inboxEvents });
  const inbox = { inboxAppId, inboxSecret, inboxEventName: 'order_shipped' };
  return { ...account, ...inbox, eventName: 'order_shipped' };
}

type DemoAccount = Pick<Demo, 'accountId' | 'apiKey' | 'appId'>;

async function findOrCreateAccount(deps: SeedDeps): Promise<DemoAccount> {
  const { pool, secrets } = deps;
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM account WHERE name = $1 LIMIT 1',
    [accountName],
  );
  const [account] = rows;
  if (!account) return createAccount(pool, secrets, { name: accountName, app: demoApp });
  const actor = createSystemActor(account.id);
  return {
    accountId: account.id,
    apiKey: await findOrCreateKey(deps, actor),
    appId: await findOrCreateApp(deps, actor, demoApp),
  };
}

async function findOrCreateKey({ pool, secrets }: SeedDeps, actor: Actor): Promise<string> {
  const { rows } = await pool.query<{ id: string; sealed: string }>(
    `SELECT id, sealed FROM api_key WHERE account_id = $1 AND revoked_at IS NULL AND expires_at IS NULL
     ORDER BY created_at LIMIT 1`,
    [actor.accountId],
  );
  const [active] = rows;
  if (active) return secrets.open(active.sealed, apiKeyPlace(active.id));
  const newKey = await createAccountKeys(pool, secrets).create(actor);
  if (!newKey) throw new Error('Another process has just created the keys of the demo account');
  return newKey.key;
}

async function findOrCreateApp(
  { pool }: SeedDeps,
  actor: Actor,
  newApp: typeof demoApp | typeof inboxApp,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM app WHERE account_id = $1 AND name = $2 AND deleted_at IS NULL LIMIT 1',
    [actor.accountId, newApp.name],
  );
  return rows[0]?.id ?? createAccountApps(pool).create(actor, newApp);
}

async function findOrCreateInboxSecret(
  { pool, secrets }: SeedDeps,
  actor: Actor,
  appId: string,
): Promise<Demo['inboxSecret']> {
  const { rows } = await pool.query<{ id: string; sealed: string }>(
    `SELECT id, sealed FROM inbox_secret WHERE app_id = $1 AND revoked_at IS NULL
     ORDER BY created_at LIMIT 1`,
    [appId],
  );
  const [active] = rows;
  if (active) {
    return { id: active.id, secret: secrets.open(active.sealed, inboxSecretPlace(active.id)) };
  }
  const newSecret = await createInboxSecrets(pool, secrets).create({ ...actor, appId });
  if (!newSecret) throw new Error('Another process has just created the secrets of the demo inbox');
  return newSecret;
}

type MissingEvents = { actor: Actor; appId: string; events: Record<string, VersionInput> };

async function createMissingEvents(
  { pool }: SeedDeps,
  { actor, appId, events }: MissingEvents,
): Promise<void> {
  const appEvents = createAppEvents(pool);
  const { rows } = await pool.query<{ name: string }>(
    'SELECT name FROM event WHERE app_id = $1 AND deleted_at IS NULL',
    [appId],
  );
  const stored = new Set(rows.map(({ name }) => name));
  for (const [name, definition] of Object.entries(events)) {
    const eventId = stored.has(name) ? undefined : await appEvents.create(actor, appId, name);
    if (eventId) await appEvents.publishDefinition(actor, appId, { eventId, definition });
  }
}

function demoEvent(templates: Record<string, object>): VersionInput {
  const channels = Object.entries(templates).map(([name, en]) => [name, { templates: { en } }]);
  return { channels: Object.fromEntries(channels) };
}

const demoEvents: Record<string, VersionInput> = {
  order_shipped: demoEvent({
    email: {
      subject: 'Your order {{order.id}} is on its way',
      html: [
        '<p>Hello {{default user_name "there"}},</p>',
        '<p>your order <strong>{{order.id}}</strong> has left our warehouse.</p>',
        '{{#if order.items}}<ul>{{#each order.items}}<li>{{quantity}} x {{name}}</li>{{/each}}</ul>{{/if}}',
        '{{#if tracking_url}}<p><a href="{{tracking_url}}">Follow the parcel</a></p>{{/if}}',
      ].join('\n'),
    },
    slack: {
      text: 'Order *{{order.id}}* for {{default user_name "a customer"}} is on its way.',
    },
  }),
  password_reset: {
    ...demoEvent({
      email: {
        subject: 'Reset your password',
        html: '<p>Hello {{default user_name "there"}},</p><p><a href="{{reset_url}}">Choose a new password</a>. The link works for {{default minutes "30"}} minutes.</p>',
      },
    }),
    kind: 'mandatory',
  },
  deploy_finished: demoEvent({
    slack: {
      text: '{{#if ok}}:white_check_mark:{{else}}:x:{{/if}} {{service}} {{version}} {{#if ok}}is live{{else}}failed: {{reason}}{{/if}}',
    },
  }),
};

const inboxEvents: Record<string, VersionInput> = {
  order_shipped: demoEvent({
    in_app: {
      title: 'Order {{order.id}} is on its way',
      body: 'Hello {{default user_name "there"}}, your parcel has left our warehouse.',
      click_action: '{{tracking_url}}',
    },
  }),
};

import type { Secrets } from '@belfry/runtime';
import type { VersionInput } from '@belfry/shared';
import { type Actor, createSystemActor } from './audit';
import type { Database } from './client';
import { createAccount } from './configuration/accounts';
import { createAccountKeys } from './configuration/api-keys';
import { createAccountApps } from './configuration/apps';
import { createAppEvents } from './configuration/events';
import { apiKeyPlace } from './look-ups';

export type Demo = { accountId: string; apiKey: string; appId: string; eventName: string };

const accountName = 'Demo account';
const demoApp = { name: 'Demo app', delivery: 'sandbox' } as const;

type SeedDeps = { database: Pick<Database, 'prisma' | 'lookUps'>; secrets: Secrets };

/** Creates the missing parts of the demo account: an API key, an app in sandbox delivery, and live events. */
export async function seedDemo(deps: SeedDeps): Promise<Demo> {
  const account = await findOrCreateAccount(deps);
  await createMissingEvents(deps, account);
  return { ...account, eventName: 'order_shipped' };
}

type DemoAccount = Omit<Demo, 'eventName'>;

async function findOrCreateAccount(deps: SeedDeps): Promise<DemoAccount> {
  const { database, secrets } = deps;
  const account = await database.prisma.account.findFirst({ where: { name: accountName } });
  if (!account) {
    return createAccount(database.lookUps, secrets, { name: accountName, app: demoApp });
  }
  const actor = createSystemActor(account.id);
  return {
    accountId: account.id,
    apiKey: await findOrCreateKey(deps, actor),
    appId: await findOrCreateApp(deps, actor),
  };
}

async function findOrCreateKey({ database, secrets }: SeedDeps, actor: Actor): Promise<string> {
  const { accountId } = actor;
  const activeKey = await database.prisma.apiKey.findFirst({
    where: { accountId, revokedAt: null, expiresAt: null },
    orderBy: { createdAt: 'asc' },
  });
  if (activeKey) return secrets.open(activeKey.sealed, apiKeyPlace(activeKey.id));
  const newKey = await createAccountKeys(database.lookUps, secrets).create(actor);
  if (!newKey) throw new Error('Another process has just created the keys of the demo account');
  return newKey.key;
}

async function findOrCreateApp({ database }: SeedDeps, actor: Actor): Promise<string> {
  const app = await database.prisma.app.findFirst({
    where: { accountId: actor.accountId, name: demoApp.name, deletedAt: null },
  });
  return app?.id ?? createAccountApps(database.lookUps).create(actor, demoApp);
}

async function createMissingEvents(
  { database: { prisma, lookUps } }: SeedDeps,
  { accountId, appId }: DemoAccount,
): Promise<void> {
  const actor = createSystemActor(accountId);
  const events = createAppEvents(lookUps);
  for (const [name, definition] of Object.entries(demoEvents)) {
    const storedEvent = await prisma.event.findFirst({ where: { appId, name, deletedAt: null } });
    const eventId = storedEvent ? undefined : await events.create(actor, appId, name);
    if (eventId) await events.publishDefinition(actor, appId, { eventId, definition });
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
  password_reset: demoEvent({
    email: {
      subject: 'Reset your password',
      html: '<p>Hello {{default user_name "there"}},</p><p><a href="{{reset_url}}">Choose a new password</a>. The link works for {{default minutes "30"}} minutes.</p>',
    },
  }),
  deploy_finished: demoEvent({
    slack: {
      text: '{{#if ok}}:white_check_mark:{{else}}:x:{{/if}} {{service}} {{version}} {{#if ok}}is live{{else}}failed: {{reason}}{{/if}}',
    },
  }),
};

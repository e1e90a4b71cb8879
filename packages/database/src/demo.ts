import type { Secrets } from '@belfry/runtime';
import type { VersionInput } from '@belfry/shared';
import type { Database } from './client';
import { type Configuration, createConfiguration } from './configuration';
import { apiKeyPlace } from './look-ups';

export type Demo = { accountId: string; apiKey: string; appId: string; eventName: string };

const accountName = 'Demo account';
const appName = 'Demo app';

/** An account with a key, an app in sandbox delivery and events to try; made once, then found again. */
export async function seedDemo({
  database,
  secrets,
}: {
  database: Pick<Database, 'prisma'>;
  secrets: Secrets;
}): Promise<Demo> {
  const { prisma } = database;
  const configuration = createConfiguration(prisma, secrets);
  const account =
    (await prisma.account.findFirst({ where: { name: accountName } })) ??
    (await configuration.createAccount(accountName));
  const app =
    (await prisma.app.findFirst({
      where: { accountId: account.id, name: appName, deletedAt: null },
    })) ??
    (await configuration.createApp({
      accountId: account.id,
      name: appName,
      delivery: 'sandbox',
    }));
  const apiKey = await findOrCreateKey({ database, secrets, configuration, accountId: account.id });
  for (const [name, definition] of Object.entries(demoEvents)) {
    const existingEvent = await prisma.event.findFirst({
      where: { appId: app.id, name, deletedAt: null },
    });
    if (existingEvent) continue;
    const event = await configuration.createEvent({ appId: app.id, name });
    await configuration.publish({ id: event.id, appId: app.id }, definition);
  }
  return { accountId: account.id, apiKey, appId: app.id, eventName: 'order_shipped' };
}

type KeyOwner = {
  database: Pick<Database, 'prisma'>;
  secrets: Secrets;
  configuration: Configuration;
  accountId: string;
};

async function findOrCreateKey(owner: KeyOwner): Promise<string> {
  const { database, secrets, configuration, accountId } = owner;
  const existingKey = await database.prisma.apiKey.findFirst({
    where: { accountId, revokedAt: null },
    orderBy: { createdAt: 'asc' },
  });
  if (existingKey) return secrets.open(existingKey.sealed, apiKeyPlace(existingKey.id));
  return (await configuration.createApiKey(accountId)).key;
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

import { channelVersion, eventually, type SimulatedChannels } from '@belfry/testing';
import type { OpenDashboard } from './open-dashboard';

const data = { user_name: 'Ana', order: { id: '88213', carrier: 'DHL Parcel' } };
const html =
  '<h1>Your order is on its way</h1>\n<p>Hello {{user_name}},</p>\n' +
  '<p>order {{order.id}} left our warehouse{{#if order.carrier}} with {{order.carrier}}{{/if}}.</p>';
const short = 'Harrow Goods: {{user_name}}, order {{order.id}} has left our warehouse.';

/** Recipients. Their addresses select the outcome in the sandbox. */
const recipients = [
  { email: 'ana.ruiz@example.com', mobile: '+12025550123', user_id: 'u_20391' },
  { email: 'sandbox+bounce@example.com', slack: { channel_id: 'C0555010142' } },
  { email: 'sandbox+retry@example.com', mobile: '+12025550187', user_id: 'u_48213' },
  { email: 'j.weber@example.com', slack: { channel_id: 'CSANDBOXTIMEOUT' } },
  { email: 'not an address', mobile: '+12025550164' },
];

/** Generous, for a busy machine. */
const settleTimeoutMs = 60_000;

export type Filled = {
  eventId: string;
  requestId: string;
  integrationId: string;
  endpointId: string;
};

/** Creates enough data that every page has something to show. */
export async function fillDashboard(dashboard: OpenDashboard): Promise<Filled> {
  const { system, tenant, simulated } = dashboard;
  const ids = await createIntegrations(dashboard, simulated);
  const event = await system.factories.createEvent(
    tenant,
    {
      sms: channelVersion({ text: short }, { integrationIds: [ids['sms'] ?? ''] }),
      email: channelVersion(
        { subject: 'Your order {{order.id}} is on its way', html },
        { integrationIds: [ids['email'] ?? ''] },
      ),
      slack: channelVersion(
        { text: 'Order *{{order.id}}* shipped to {{user_name}}' },
        { integrationIds: [ids['slack'] ?? ''] },
      ),
      in_app: channelVersion({ title: 'Order {{order.id}}', body: short }),
    },
    { name: 'order_shipped' },
  );
  const url = 'https://receiver.invalid/hooks';
  const { id: endpointId } = await system.factories.createWebhookEndpoint(tenant, { url });
  const sent = [];
  for (const user of recipients) {
    sent.push(await system.send(tenant, { event: event.name, user, data }));
  }
  const requestId = String(sent[3]?.body.request_id);
  await eventually(
    async () => {
      const messages = await system.readMessages(requestId);
      if (messages.some(({ state }) => state === 'queued' || state === 'sending')) {
        throw new Error('not settled yet');
      }
    },
    { timeoutMs: settleTimeoutMs },
  );
  return { eventId: event.eventId, requestId, integrationId: ids['email'] ?? '', endpointId };
}

async function createIntegrations(
  { system, tenant }: OpenDashboard,
  { channels }: SimulatedChannels,
): Promise<Record<string, string>> {
  const names = { sms: 'twilio-eu', email: 'smtp-main', slack: 'slack-bot' };
  const ids: Record<string, string> = {};
  for (const [channel, name] of Object.entries(names)) {
    const simulator = channels[channel];
    if (!simulator) throw new Error(`No simulator for ${channel}`);
    const { provider, settings, credentials } = simulator;
    const { id } = await system.factories.createIntegration(tenant, {
      channel,
      provider,
      settings,
      credentials,
    });
    await system.database.prisma.integration.update({ where: { id }, data: { name } });
    ids[channel] = id;
  }
  const attention = { state: 'needs_attention', stateReason: 'Slack revoked this token.' };
  await system.database.prisma.integration.update({
    where: { id: ids['slack'] ?? '' },
    data: attention,
  });
  return ids;
}

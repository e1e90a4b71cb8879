import {
  channelVersion,
  type ReaderSecret,
  type System,
  signReaderToken,
  startSystem,
} from '@belfry/testing';
import { openSiteAt, type Site, type SiteGateway } from './open-site';

/** The gateway of a running system, and the backend that sends events to its app. */
export type SystemGateway = SiteGateway & {
  system: System;
  secret: ReaderSecret;
  /** Sends an event whose in-app message has this title. */
  send(userId: string, title: string): Promise<void>;
};

/** A site at the running system. With `findUrl`, its browser calls another address, such as a proxy before the gateways. */
export async function openSystemSite(
  findUrl: (system: System) => Promise<string> | string = ({ apiUrl }) => apiUrl,
): Promise<Site<SystemGateway>> {
  const system = await startSystem();
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const secret = await system.factories.createInboxSecret(tenant);
  const version = { in_app: channelVersion({ title: '{{title}}', click_action: '/orders' }) };
  const { name: event } = await system.factories.createEvent(tenant, version);
  return openSiteAt({
    system,
    secret,
    url: await findUrl(system),
    appId: tenant.appId,
    issueToken: (userId) => signReaderToken(secret, { appId: tenant.appId, userId }),
    async send(userId, title) {
      await system.sendAccepted(tenant, { event, user: { user_id: userId }, data: { title } });
    },
    close: system.stop,
  });
}

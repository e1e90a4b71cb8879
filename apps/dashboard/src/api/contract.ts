import { alertRoutes } from './alerts';
import { appRoutes } from './apps';
import { auditRoutes } from './audit';
import { captureRoutes } from './captures';
import { categoryRoutes } from './categories';
import { eventRoutes } from './events';
import { findRoutes } from './find';
import { inboxSecretRoutes } from './inbox-secrets';
import { integrationRoutes } from './integrations';
import { keyRoutes } from './keys';
import { logRoutes } from './log';
import { overviewRoutes } from './overview';
import { peopleRoutes } from './people';
import { previewRoutes } from './preview';
import { queueRoutes } from './queues';
import { registryRoutes } from './registry';
import { requestItemRoutes } from './request-items';
import { requestRoutes } from './requests';
import { resendRoutes } from './resends';
import type { PathParam, RouteSpec, SpecAnswer, SpecBody, SpecQuery } from './route-spec';
import { savedFilterRoutes } from './saved-filters';
import { sessionRoutes } from './session';
import { suppressionRoutes } from './suppressions';
import { testSendRoutes } from './test-send';
import { totpRoutes } from './totp';
import { userRoutes } from './users';
import { versionRoutes } from './versions';
import { webhookRoutes } from './webhooks';

/**
 * Every route of the dashboard's API, in the order in which paths are matched. Handlers, validation, roles, the typed
 * client of the page, the tests of roles, audit and answers, and apps/dashboard/src/api/README.md derive from it.
 */
export const contract = {
  ...sessionRoutes,
  ...totpRoutes,
  ...keyRoutes,
  ...peopleRoutes,
  ...appRoutes,
  ...inboxSecretRoutes,
  ...registryRoutes,
  ...auditRoutes,
  ...integrationRoutes,
  ...webhookRoutes,
  ...eventRoutes,
  ...versionRoutes,
  ...previewRoutes,
  ...testSendRoutes,
  ...logRoutes,
  ...savedFilterRoutes,
  ...categoryRoutes,
  ...requestRoutes,
  ...requestItemRoutes,
  ...resendRoutes,
  ...captureRoutes,
  ...userRoutes,
  ...suppressionRoutes,
  ...overviewRoutes,
  ...queueRoutes,
  ...alertRoutes,
  ...findRoutes,
} as const satisfies Record<string, RouteSpec>;

export type Contract = typeof contract;
export type Route = keyof Contract;
export type PathParams<R extends Route> = Record<PathParam<R>, string>;
export type Query<R extends Route> = SpecQuery<Contract[R]>;
export type Body<R extends Route> = SpecBody<Contract[R]>;
export type Answer<R extends Route> = SpecAnswer<Contract[R]>;

import { type Static, Type } from '@sinclair/typebox';
import { name } from './apps';

/** GET /api/providers: one form each. `settings` and `credentials` are JSON Schemas with titles and hints. */
export type ProviderList = {
  providers: {
    channel: string;
    channelLabel: string;
    provider: string;
    label: string;
    settings: object;
    credentials: object;
    /** Needs no integration. */
    isBuiltIn: boolean;
  }[];
};

export type IntegrationState = 'active' | 'needs_attention' | 'paused';

export type IntegrationUseInfo = {
  eventId: string;
  eventName: string;
  channel: string;
  where: 'live' | 'draft';
  /** Without it the channel of the event sends nothing. */
  isOnly: boolean;
};

export type IntegrationInfo = {
  id: string;
  name: string;
  channel: string;
  provider: string;
  state: IntegrationState;
  stateReason: string | null;
  createdAt: string;
  updatedAt: string;
  usedBy: IntegrationUseInfo[];
};

/** GET /api/apps/:app_id/integrations */
export type IntegrationList = { integrations: IntegrationInfo[] };

/** GET /api/apps/:app_id/integrations/:integration_id */
export type IntegrationDetail = IntegrationInfo & {
  settings: Record<string, unknown>;
  /** Each credential that is stored, as its last four characters; empty where it is too short to show any. */
  credentials: Record<string, string>;
  /** Where the provider may report what became of a message, if it can. */
  receiptUrl: string | null;
};

const fields = Type.Record(Type.String({ maxLength: 64 }), Type.Unknown());

/** POST /api/apps/:app_id/integrations, answered with an IntegrationDetail. */
export const newIntegrationBody = Type.Object({
  name,
  channel: Type.String(),
  provider: Type.String(),
  settings: fields,
  credentials: fields,
});
export type NewIntegrationBody = Static<typeof newIntegrationBody>;

/** PUT .../:integration_id, answered with an IntegrationDetail. A credential that is left out stays; an empty one is removed. */
export const integrationChangeBody = Type.Object({ name, settings: fields, credentials: fields });
export type IntegrationChangeBody = Static<typeof integrationChangeBody>;

/** POST .../:integration_id/test: what the provider answered. */
export type IntegrationTested = { isWorking: boolean; detail: string; state: IntegrationState };

/** `details` of `integration_in_use`, when DELETE .../:integration_id?breaks=accepted was not asked for. */
export type RemovalDetails = { breaks: IntegrationUseInfo[] };

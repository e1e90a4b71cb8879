import {
  type AnyChannel,
  createSandboxSender,
  type ProviderRequest,
  type Sender,
  type SenderDeps,
  type SendResult,
} from '@belfry/channels';
import type { AppRow, ClaimedMessage, IntegrationRow, NewCapture } from '@belfry/database';

/** Who carries one message, with everything but its content already settled. */
export type Carrier = {
  /** The provider's name, for the log. */
  provider: string;
  describe(content: unknown): ProviderRequest;
  send(call: { content: unknown; signal: AbortSignal; deadlineAt: number }): Promise<SendResult>;
};

export type FindCarrier = (message: ClaimedMessage, app: AppRow) => Promise<Carrier>;

import { plainArray, textArray } from '@belfry/database';
import type { SkipReason } from '@belfry/shared';

export type ItemPlan = {
  messages: NewMessage[];
  /** By channel. */
  skips: Record<string, Skip>;
  /** The recipient's language, from the request or the stored user. */
  locale: string | undefined;
};

export type Skip = { reason: SkipReason; detail: string };

export type NewMessage = {
  id: string;
  channel: string;
  target: string;
  integrationId: string | undefined;
  /** Undefined means now, by PostgreSQL's clock. */
  dueAt: Date | undefined;
  timeToLiveMs: number;
  /** The job that carries the message; undefined leaves it to the relay. */
  jobId: string | undefined;
  note: string | undefined;
  /** The only device that the message may go to; see claimMessages. */
  deviceId?: string | undefined;
};

/** The item's skips as JSON; undefined if there are none. */
export function skipsColumn(plan: ItemPlan | undefined): string | undefined {
  return plan && Object.keys(plan.skips).length > 0 ? JSON.stringify(plan.skips) : undefined;
}

/** The message's notes as JSON; undefined if there are none. */
export function notesColumn({ note, deviceId }: NewMessage): string | undefined {
  if (note === undefined && deviceId === undefined) return undefined;
  return JSON.stringify({ address: note, device: deviceId });
}

/** The columns that a message has from its plan alone. */
export function planColumns(messages: { message: NewMessage }[]): unknown[] {
  return [
    textArray(messages.map(({ message }) => message.channel)),
    textArray(messages.map(({ message }) => message.target)),
    plainArray(messages.map(({ message }) => message.integrationId)),
    plainArray(messages.map(({ message }) => message.dueAt)),
    plainArray(messages.map(({ message }) => message.timeToLiveMs)),
  ];
}

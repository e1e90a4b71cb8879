import type { AnyChannel } from './channel';
import { email } from './email/channel';
import { inApp } from './in-app/channel';
import { onesignal } from './onesignal/channel';
import { push } from './push/channel';
import { slack } from './slack/channel';
import { sms } from './sms/channel';
import { telegram } from './telegram/channel';
import { whatsapp } from './whatsapp/channel';

/** All channels. Wire schema, worker roles, dashboard and sandbox are derived from this list. */
export const channels = {
  email,
  slack,
  sms,
  whatsapp,
  telegram,
  push,
  onesignal,
  in_app: inApp,
} satisfies Record<string, AnyChannel>;

export type ChannelName = keyof typeof channels;

// Object.keys of a literal object returns exactly its own names.
export const channelNames = Object.keys(channels) as ChannelName[];

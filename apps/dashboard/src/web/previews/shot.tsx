import type { ReactNode } from 'react';
import { JsonBlock } from '../parts/code';
import { channelIcon, Icon } from '../parts/icons';
import { type Fields, fieldsOf, textOf } from './content';
import { EmailPreview } from './email-preview';
import {
  InAppPreview,
  PushPreview,
  SmsPreview,
  TelegramPreview,
  WhatsappPreview,
} from './phone-previews';
import { SlackPreview } from './slack-preview';

export type PreviewProps = { fields: Fields; isDark: boolean };

const previews: Record<string, (props: PreviewProps) => ReactNode> = {
  sms: SmsPreview,
  email: EmailPreview,
  whatsapp: WhatsappPreview,
  slack: SlackPreview,
  telegram: TelegramPreview,
  push: PushPreview,
  onesignal: PushPreview,
  in_app: InAppPreview,
};

/** It looks like the channel, not like Belfry; a channel that is newer than this page shows its content as it is. */
export function Shot({
  channel,
  content,
  aside,
  isBare = false,
  isDark = false,
}: {
  channel: string;
  content: unknown;
  aside?: ReactNode;
  isBare?: boolean;
  isDark?: boolean;
}) {
  const Preview = previews[channel];
  const fields = fieldsOf(content);
  return (
    <figure className="shot">
      {!isBare && (
        <figcaption>
          <Icon name={channelIcon(channel)} size={14} />
          <b>{channel}</b>
          <span className="cut">{aside}</span>
        </figcaption>
      )}
      {Preview && !isMasked(fields) ? (
        <div className={isDark ? 'pv dark' : 'pv'}>
          <Preview fields={fields} isDark={isDark} />
        </div>
      ) : (
        <JsonBlock title={`${channel} content`} value={content} />
      )}
    </figure>
  );
}

function isMasked(fields: Fields): boolean {
  return Object.keys(fields).length === 0 || textOf(fields, 'masked') !== '';
}

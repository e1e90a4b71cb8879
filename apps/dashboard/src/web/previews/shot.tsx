import type { ReactNode } from 'react';
import { JsonBlock } from '../parts/code';
import { channelIcon, Icon } from '../parts/icons';
import { fieldsOf, textOf } from './content';
import { EmailPreview } from './email-preview';
import { measureOf } from './measure';
import { InAppPreview, SmsPreview, TelegramPreview, WhatsappPreview } from './phone-previews';
import type { PreviewProps } from './preview';
import { PushPreview } from './push-preview';
import { SlackPreview } from './slack-preview';

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

export type ShotProps = {
  channel: string;
  content: unknown;
  notes?: unknown;
  /** The call that the provider gets. */
  request?: unknown;
  target?: string;
  /** Beside the number that matters. */
  aside?: string;
  /** Without its caption. */
  isBare?: boolean;
  isDark?: boolean;
  hasTools?: boolean;
  isCurrent?: boolean;
};

/** It looks like the channel, not like Belfry; a channel that is newer than this page shows its content as it is. */
export function Shot(props: ShotProps) {
  const { channel, content, notes, target = '', isBare, isDark = false, hasTools = false } = props;
  const Preview = previews[channel];
  const fields = fieldsOf(content);
  const shown = { fields, notes: fieldsOf(notes), request: bodyOf(props.request), target };
  const isShown = Preview !== undefined && !isMasked(fields);
  return (
    <figure className="shot" aria-current={props.isCurrent ? 'true' : undefined}>
      {!isBare && (
        <figcaption>
          <Icon name={channelIcon(channel)} size={14} />
          <b>{channel}</b>
          <span className="cut">
            {[isShown && measureOf(channel, fields, shown.notes), props.aside]
              .filter(Boolean)
              .join(', ')}
          </span>
        </figcaption>
      )}
      {isShown ? (
        <div className={isDark ? 'pv dark' : 'pv'}>
          <Preview {...shown} isDark={isDark} hasTools={hasTools} />
        </div>
      ) : (
        <JsonBlock title={`${channel} content`} value={content} />
      )}
    </figure>
  );
}

function bodyOf(request: unknown): PreviewProps['request'] {
  return fieldsOf(fieldsOf(request)['body']);
}

function isMasked(fields: PreviewProps['fields']): boolean {
  return Object.keys(fields).length === 0 || textOf(fields, 'masked') !== '';
}

import type { ReactNode } from 'react';
import { JsonBlock } from '../parts/code';
import { channelIcon, Icon } from '../parts/icons';
import { getText, toFields } from './content';
import { EmailPreview } from './email-preview';
import { formatMeasure } from './measure';
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

export type PreviewFrameProps = {
  channel: string;
  content: unknown;
  notes?: unknown;
  /** The request to the provider. */
  request?: unknown;
  target?: string;
  /** Shown beside the key figure. */
  aside?: string;
  /** Without its caption. */
  isBare?: boolean;
  isDark?: boolean;
  hasControls?: boolean;
  isCurrent?: boolean;
};

/** Looks like the channel itself. Channels unknown to this page show their raw content. */
export function PreviewFrame(props: PreviewFrameProps) {
  const {
    channel,
    content,
    notes,
    target = '',
    isBare,
    isDark = false,
    hasControls = false,
  } = props;
  const Preview = previews[channel];
  const fields = toFields(content);
  const previewProps = {
    fields,
    notes: toFields(notes),
    request: getRequestBody(props.request),
    target,
  };
  const isShown = Preview !== undefined && !isMasked(fields);
  return (
    <figure className="shot" aria-current={props.isCurrent ? 'true' : undefined}>
      {!isBare && (
        <figcaption>
          <Icon name={channelIcon(channel)} size={14} />
          <b>{channel}</b>
          <span className="cut">
            {[isShown && formatMeasure(channel, fields, previewProps.notes), props.aside]
              .filter(Boolean)
              .join(', ')}
          </span>
        </figcaption>
      )}
      {isShown ? (
        <div className={isDark ? 'pv dark' : 'pv'}>
          <Preview {...previewProps} isDark={isDark} hasControls={hasControls} />
        </div>
      ) : (
        <JsonBlock title={`${channel} content`} value={content} />
      )}
    </figure>
  );
}

function getRequestBody(request: unknown): PreviewProps['request'] {
  return toFields(toFields(request)['body']);
}

function isMasked(fields: PreviewProps['fields']): boolean {
  return Object.keys(fields).length === 0 || getText(fields, 'masked') !== '';
}

import type { ReactNode } from 'react';
import { JsonBlock } from '../parts/code';
import { getText, toFields } from './content';
import { EmailPreview } from './email-preview';
import { formatMeasure } from './measure';
import { InAppPreview, SmsPreview, TelegramPreview, WhatsappPreview } from './phone-previews';
import type { PreviewProps } from './preview';
import styles from './preview.module.css';
import { PreviewFigure } from './preview-figure';
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
  const { channel, content, notes, target = '', isDark = false, hasControls = false } = props;
  const Preview = previews[channel];
  const fields = toFields(content);
  const previewProps = {
    fields,
    notes: toFields(notes),
    request: getRequestBody(props.request),
    target,
  };
  const isShown = Preview !== undefined && !isMasked(fields);
  const measure = isShown && formatMeasure(channel, fields, previewProps.notes);
  return (
    <PreviewFigure
      channel={channel}
      isBare={props.isBare}
      isCurrent={props.isCurrent}
      aside={[measure, props.aside].filter(Boolean).join(', ')}
    >
      {isShown ? (
        <div className={styles.preview} data-theme={isDark ? 'dark' : 'light'}>
          <Preview {...previewProps} isDark={isDark} hasControls={hasControls} />
        </div>
      ) : (
        <JsonBlock title={`${channel} content`} value={content} />
      )}
    </PreviewFigure>
  );
}

function getRequestBody(request: unknown): PreviewProps['request'] {
  return toFields(toFields(request)['body']);
}

function isMasked(fields: PreviewProps['fields']): boolean {
  return Object.keys(fields).length === 0 || getText(fields, 'masked') !== '';
}

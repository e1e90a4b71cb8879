import { getText, toFields, toFieldsList } from './content';
import { Formatted } from './formatted';
import { findUnicodeCause } from './measure';
import styles from './phone-previews.module.css';
import type { PreviewProps } from './preview';
import shared from './preview.module.css';
import { parsePlain, parseTelegram, parseWhatsapp, type Run } from './runs';

export function SmsPreview({ fields, notes, request }: PreviewProps) {
  const sender = getText(fields, 'sender') || getText(request, 'From', 'MessagingServiceSid');
  const cause = findUnicodeCause(notes);
  return (
    <div className={styles.sms}>
      {sender && <span className={styles.sender}>{sender}</span>}
      <div className={styles.bubble}>
        <SmsText text={getText(fields, 'text')} cause={cause?.character} />
      </div>
      {cause && (
        <p className={shared.note}>
          Unicode, with fewer characters per segment, because of <mark>{cause.character}</mark> (
          {cause.name}).
        </p>
      )}
    </div>
  );
}

/** Marks the first character outside GSM-7, which makes the message more expensive. */
function SmsText({ text, cause }: { text: string; cause: string | undefined }) {
  const at = cause ? text.indexOf(cause) : -1;
  if (!cause || at < 0) return <Formatted runs={parsePlain(text)} />;
  return (
    <>
      <Formatted runs={parsePlain(text.slice(0, at))} />
      <mark>{cause}</mark>
      <Formatted runs={parsePlain(text.slice(at + cause.length))} />
    </>
  );
}

export function WhatsappPreview({ fields }: PreviewProps) {
  const text = getText(fields, 'text', 'preview');
  const header = toFields(fields['header']);
  const name = getText(fields, 'name', 'contentSid');
  return (
    <div className={styles.whatsapp}>
      <div className={styles.bubble}>
        <WhatsappHeader
          kind={getText(header, 'kind')}
          text={getText(header, 'text', 'fileName', 'url')}
        />
        {text ? (
          <Formatted runs={parseWhatsapp(text)} />
        ) : (
          <span className={styles.unknown}>
            Template {name}. Its text is stored at the provider.
          </span>
        )}
      </div>
      {toFieldsList(fields['buttons']).map((button) => (
        <div key={String(button['index'])} className={styles.button}>
          {buttonLabels[getText(button, 'kind')] ?? ''} {getText(button, 'text')}
        </div>
      ))}
      {!text && <Parameters parameters={toFieldsList(fields['parameters']).map(toParameterRow)} />}
    </div>
  );
}

const buttonLabels: Record<string, string> = {
  url: 'Link:',
  quick_reply: 'Reply:',
  copy_code: 'Copy code',
};

function WhatsappHeader({ kind, text }: { kind: string; text: string }) {
  if (kind === '') return null;
  if (kind === 'text') return <b className={styles.header}>{text}</b>;
  return <Picture what={kind} url={text} />;
}

function toParameterRow(parameter: Record<string, unknown>, at: number): [string, string] {
  return [getText(parameter, 'name') || `{{${at + 1}}}`, getText(parameter, 'text')];
}

function Parameters({ parameters }: { parameters: [string, string][] }) {
  if (parameters.length === 0) return null;
  return (
    <dl className={`${shared.facts} ${styles.parameters}`}>
      {parameters.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** External images are not loaded; their URL is shown instead. */
export function Picture({ what, url }: { what: string; url: string }) {
  return (
    <span className={shared.picture} title={url}>
      {what}
      <small className="cut">{url}</small>
    </span>
  );
}

export function TelegramPreview({ fields }: PreviewProps) {
  const runs: Run[] = parseTelegram(getText(fields, 'text'));
  const facts = [
    fields['disableNotification'] === true && 'silent',
    fields['linkPreview'] === false && 'no link preview',
  ].filter((fact) => fact !== false);
  return (
    <div className={styles.telegram}>
      <div className={styles.bubble}>
        <Formatted runs={runs} />
      </div>
      {facts.length > 0 && <p className={shared.note}>{facts.join(', ')}</p>}
    </div>
  );
}

export function InAppPreview({ fields }: PreviewProps) {
  const image = getText(fields, 'image');
  const link = getText(fields, 'click_action');
  return (
    <div className={styles.inApp}>
      <div className={styles.item}>
        <b>{getText(fields, 'title')}</b>
        {getText(fields, 'body')}
        {image && <Picture what="image" url={image} />}
        <small>now{link && `, opens ${link}`}</small>
      </div>
    </div>
  );
}

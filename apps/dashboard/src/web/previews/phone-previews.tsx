import { fieldsOf, type Run, runsOfHtml, textOf } from './content';
import type { PreviewProps } from './shot';

export function SmsPreview({ fields }: PreviewProps) {
  return (
    <div className="pv-sms">
      {textOf(fields, 'sender') && <span className="who">{textOf(fields, 'sender')}</span>}
      <div className="bubble">{textOf(fields, 'text')}</div>
    </div>
  );
}

export function WhatsappPreview({ fields }: PreviewProps) {
  const template = textOf(fields, 'name', 'contentSid');
  return (
    <div className="pv-wa">
      <div className="bubble">
        {textOf(fields, 'text', 'preview') ||
          `Template ${template}: its words are with the provider.`}
      </div>
    </div>
  );
}

export function TelegramPreview({ fields }: PreviewProps) {
  return (
    <div className="pv-tg">
      <div className="bubble">
        <Runs runs={runsOfHtml(textOf(fields, 'text'))} />
      </div>
    </div>
  );
}

export function PushPreview({ fields }: PreviewProps) {
  const inner = fieldsOf(fields['notification']);
  const title = textOf(fields, 'title', 'heading') || textOf(inner, 'title');
  const body = textOf(fields, 'body', 'text', 'content') || textOf(inner, 'body');
  return (
    <div className="pv-push">
      <div className="n">
        <i className="ic" aria-hidden="true">
          {title.slice(0, 1).toUpperCase()}
        </i>
        <div>
          <b>
            {title}
            <time>now</time>
          </b>
          {body}
        </div>
      </div>
    </div>
  );
}

export function InAppPreview({ fields }: PreviewProps) {
  return (
    <div className="pv-in">
      <div className="it">
        <b>{textOf(fields, 'title')}</b>
        {textOf(fields, 'body')}
        <small>now</small>
      </div>
    </div>
  );
}

/** Runs are in order and never change their places. */
export function Runs({ runs }: { runs: Run[] }) {
  let from = 0;
  return runs.map(({ text, isStrong }) => {
    from += text.length + 1;
    return isStrong ? <b key={from}>{text}</b> : <span key={from}>{text}</span>;
  });
}

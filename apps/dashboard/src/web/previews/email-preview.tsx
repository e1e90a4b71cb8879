import { useEffect, useId, useRef, useState } from 'react';
import { useTools } from '../context';
import { Segments } from '../parts/controls';
import { type Fields, fieldsOf, listOf, textOf, textsOf } from './content';
import type { PreviewProps } from './preview';

const views = [
  { value: 'html', text: 'HTML' },
  { value: 'text', text: 'Text' },
  { value: 'headers', text: 'Headers' },
] as const;
const widths = [
  { value: 'wide', text: 'Desktop' },
  { value: 'phone', text: '375 px' },
] as const;

export function EmailPreview(props: PreviewProps) {
  const { fields, hasTools } = props;
  const html = textOf(fields, 'html');
  const [wanted, setView] = useState<'html' | 'text' | 'headers'>('html');
  const [width, setWidth] = useState<'wide' | 'phone'>('wide');
  const view = wanted === 'html' && !html ? 'text' : wanted;
  return (
    <div className="pv-em">
      {hasTools && (
        <div className="pv-tools">
          <Segments
            label="Part of the mail"
            options={html ? views : views.slice(1)}
            value={view}
            onChange={setView}
          />
          {view === 'html' && (
            <Segments
              label="Width of the mail"
              options={widths}
              value={width}
              onChange={setWidth}
            />
          )}
        </div>
      )}
      <EmailHead {...props} />
      {view === 'html' && <MailFrame html={html} isDark={props.isDark} width={width} />}
      {view === 'text' && <MailText fields={fields} />}
      {view === 'headers' && <MailHeaders {...props} />}
    </div>
  );
}

function EmailHead({ fields, request, target, hasTools }: PreviewProps) {
  return (
    <div className="hd">
      <b>{textOf(fields, 'subject')}</b>
      <span>
        {senderOf(fields, request) || 'from the integration’s sender'}
        {hasTools && target && ` to ${target}`}
      </span>
    </div>
  );
}

function senderOf(fields: Fields, request: Fields): string {
  const from = fieldsOf(fields['from'] ?? request['from']);
  const address = textOf(from, 'address');
  return [textOf(from, 'name'), address && `<${address}>`].filter(Boolean).join(' ');
}

/**
 * The mail stands in a sandboxed frame that the server answers with a policy of its own: it runs no script and loads
 * nothing from elsewhere.
 */
function MailFrame({
  html,
  isDark,
  width,
}: {
  html: string;
  isDark: boolean;
  width: 'wide' | 'phone';
}) {
  const { api } = useTools();
  const form = useRef<HTMLFormElement>(null);
  const name = useId();
  const hasDark = /prefers-color-scheme\s*:\s*dark/i.test(html);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the frame is asked anew for what it shows.
  useEffect(() => {
    if (html) form.current?.submit();
  }, [html, isDark]);
  const looks = [width, isDark && (hasDark ? 'dark' : 'inverted')].filter(Boolean).join(' ');
  return (
    <>
      <form ref={form} method="post" target={name} action={api.urlOf('api/frames')} hidden>
        <textarea name="html" readOnly value={html} aria-label="HTML" />
        <input name="theme" readOnly value={isDark ? 'dark' : 'light'} aria-label="Theme" />
      </form>
      <div className="pv-frame">
        <iframe name={name} title="The mail" sandbox="" className={looks} />
      </div>
      {isDark && !hasDark && (
        <p className="pv-note">No dark rules of its own: shown as mail programs invert it.</p>
      )}
    </>
  );
}

function MailText({ fields }: { fields: Fields }) {
  const text = textOf(fields, 'text');
  if (!text) return <p className="pv-note">The mail has no text beside its HTML.</p>;
  // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 asks for it where content scrolls.
  return <pre tabIndex={0}>{text}</pre>;
}

function MailHeaders({ fields, request, target }: PreviewProps) {
  const headers = fieldsOf(request['headers'] ?? fields['headers']);
  const own = Object.entries(headers).filter(([name]) => name !== 'Message-ID');
  const files = listOf(request['attachments'] ?? fields['attachments']);
  const rows = [
    ['From', senderOf(fields, request)],
    ['To', target],
    ['Cc', textsOf(fields['cc']).join(', ')],
    ['Bcc', textsOf(fields['bcc']).join(', ')],
    ['Reply-To', textOf(fields, 'replyTo') || textOf(request, 'reply_to')],
    ['Subject', textOf(fields, 'subject')],
    ['Message-ID', textOf(request, 'message_id') && `<${textOf(request, 'message_id')}>`],
    ...own.map(([name, value]) => [name, String(value)]),
    ['Attachments', files.map((file) => textOf(file, 'file_name', 'fileName', 'url')).join(', ')],
  ];
  return (
    <dl className="pv-headers">
      {rows.map(([name = '', value = '']) =>
        value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

import { useEffect, useId, useRef, useState } from 'react';
import { useServices } from '../context';
import { Segments } from '../parts/controls';
import { type Fields, getText, toFields, toFieldsList, toStrings } from './content';
import styles from './email-preview.module.css';
import type { PreviewProps } from './preview';
import shared from './preview.module.css';

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
  const { fields, hasControls } = props;
  const html = getText(fields, 'html');
  const [selectedView, setView] = useState<'html' | 'text' | 'headers'>('html');
  const [width, setWidth] = useState<'wide' | 'phone'>('wide');
  const view = selectedView === 'html' && !html ? 'text' : selectedView;
  return (
    <>
      {hasControls && (
        <div className={shared.tools}>
          <Segments
            label="Part of the e-mail"
            options={html ? views : views.slice(1)}
            value={view}
            onChange={setView}
          />
          {view === 'html' && (
            <Segments
              label="Width of the e-mail"
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
    </>
  );
}

function EmailHead({ fields, request, target, hasControls }: PreviewProps) {
  return (
    <div className={styles.head}>
      <b>{getText(fields, 'subject')}</b>
      <span>
        {formatSender(fields, request) || 'from the integration’s sender'}
        {hasControls && target && ` to ${target}`}
      </span>
    </div>
  );
}

function formatSender(fields: Fields, request: Fields): string {
  const from = toFields(fields['from'] ?? request['from']);
  const address = getText(from, 'address');
  return [getText(from, 'name'), address && `<${address}>`].filter(Boolean).join(' ');
}

/**
 * The e-mail is shown in a sandboxed frame with its own policy: it runs no scripts and loads no external resources.
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
  const { api } = useServices();
  const form = useRef<HTMLFormElement>(null);
  const name = useId();
  const hasDark = /prefers-color-scheme\s*:\s*dark/i.test(html);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the frame reloads when its content changes.
  useEffect(() => {
    if (html) form.current?.submit();
  }, [html, isDark]);
  const looks = [
    styles.frame,
    width === 'phone' && styles.phone,
    isDark && (hasDark ? styles.dark : styles.inverted),
  ];
  return (
    <>
      <form ref={form} method="post" target={name} action={api.getUrl('POST /api/frames')} hidden>
        <textarea name="html" readOnly value={html} aria-label="HTML" />
        <input name="theme" readOnly value={isDark ? 'dark' : 'light'} aria-label="Theme" />
      </form>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 requires it for scrollable content. */}
      <section className={styles.content} tabIndex={0} aria-label="E-mail">
        <iframe
          name={name}
          title="E-mail content"
          sandbox=""
          className={looks.filter(Boolean).join(' ')}
        />
      </section>
      {isDark && !hasDark && (
        <p className={shared.note}>
          This e-mail has no dark styles. Shown as mail clients invert it.
        </p>
      )}
    </>
  );
}

function MailText({ fields }: { fields: Fields }) {
  const text = getText(fields, 'text');
  if (!text) return <p className={shared.note}>This e-mail has no text part.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 requires it for scrollable content.
    <pre className={styles.text} tabIndex={0}>
      {text}
    </pre>
  );
}

function MailHeaders({ fields, request, target }: PreviewProps) {
  const headers = toFields(request['headers'] ?? fields['headers']);
  const own = Object.entries(headers).filter(([name]) => name !== 'Message-ID');
  const files = toFieldsList(request['attachments'] ?? fields['attachments']);
  const rows = [
    ['From', formatSender(fields, request)],
    ['To', target],
    ['Cc', toStrings(fields['cc']).join(', ')],
    ['Bcc', toStrings(fields['bcc']).join(', ')],
    ['Reply-To', getText(fields, 'replyTo') || getText(request, 'reply_to')],
    ['Subject', getText(fields, 'subject')],
    ['Message-ID', getText(request, 'message_id') && `<${getText(request, 'message_id')}>`],
    ...own.map(([name, value]) => [name, String(value)]),
    ['Attachments', files.map((file) => getText(file, 'file_name', 'fileName', 'url')).join(', ')],
  ];
  return (
    <dl className={shared.facts}>
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

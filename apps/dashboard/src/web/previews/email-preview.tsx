import { useEffect, useId, useRef } from 'react';
import { useTools } from '../context';
import { fieldsOf, textOf } from './content';
import type { PreviewProps } from './shot';

/**
 * The mail stands in a sandboxed frame that the server answers with a policy of its own: it runs no script and loads
 * nothing from elsewhere.
 */
export function EmailPreview({ fields, isDark }: PreviewProps) {
  const { api } = useTools();
  const form = useRef<HTMLFormElement>(null);
  const name = useId();
  const html = textOf(fields, 'html');
  const from = fieldsOf(fields['from']);
  const sender = [textOf(from, 'name'), textOf(from, 'address') && `<${textOf(from, 'address')}>`];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the frame is asked anew for what it shows.
  useEffect(() => {
    if (html) form.current?.submit();
  }, [html, isDark]);
  return (
    <div className="pv-em">
      <div className="hd">
        <b>{textOf(fields, 'subject')}</b>
        <span>{sender.filter(Boolean).join(' ') || 'from the integration’s sender'}</span>
      </div>
      {html ? (
        <>
          <form ref={form} method="post" target={name} action={api.urlOf('api/frames')} hidden>
            <textarea name="html" readOnly value={html} aria-label="HTML" />
          </form>
          <iframe name={name} title="The mail" sandbox="" className={isDark ? 'dark' : ''} />
        </>
      ) : (
        <pre>{textOf(fields, 'text')}</pre>
      )}
    </div>
  );
}

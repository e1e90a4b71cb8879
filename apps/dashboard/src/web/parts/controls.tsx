import { type ComponentProps, type ReactNode, useState } from 'react';
import { Link as RouterLink } from 'react-router';
import type { AbsolutePath } from '../route';
import styles from './controls.module.css';
import { Icon } from './icons';

type ButtonProps = ComponentProps<'button'> & { look?: string };

export function Button({ look = '', type = 'button', className = '', ...rest }: ButtonProps) {
  return <button type={type} className={`btn ${look} ${className}`.trim()} {...rest} />;
}

/** A visual key hint that is not part of the button's accessible name. */
export function KeyHint({ keys }: { keys: string }) {
  return (
    <span aria-hidden="true">
      <kbd data-keys={keys} />
    </span>
  );
}

type LinkProps = {
  to: AbsolutePath;
  search?: string;
  className?: string | undefined;
  title?: string;
  isCurrent?: boolean;
  onGo?: () => void;
  children: ReactNode;
};

/** A real link that can be opened in a new tab. */
export function Link({ to, search = '', className, title, isCurrent, onGo, children }: LinkProps) {
  return (
    <RouterLink
      to={{ pathname: to, search }}
      {...(className ? { className } : {})}
      {...(title ? { title } : {})}
      {...(isCurrent ? { 'aria-current': 'page' as const } : {})}
      {...(onGo ? { onClick: onGo } : {})}
    >
      {children}
    </RouterLink>
  );
}

const copiedNoticeMs = 2_000;

/** Copies a text and shows the confirmation in place. */
export function CopyButton({
  text,
  label = 'Copy',
  children,
  look = 'bare icon',
}: {
  text: string | (() => string);
  label?: string;
  children?: ReactNode;
  look?: string;
}) {
  const [isCopied, setCopied] = useState(false);
  const buttonLabel = isCopied ? 'Copied' : label;
  async function copy() {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    setCopied(true);
    setTimeout(() => setCopied(false), copiedNoticeMs);
  }
  return (
    <Button
      look={look}
      title={label}
      aria-label={children ? undefined : buttonLabel}
      onClick={() => void copy().catch(() => setCopied(false))}
    >
      {children && (isCopied ? 'Copied' : children)}
      {!children && <Icon name="copy" size={14} />}
      {!children && isCopied && <span className={styles.copied}>copied</span>}
    </Button>
  );
}

type SegmentProps<T extends string> = {
  label: string;
  options: readonly { value: T; text: string }[];
  value: T;
  onChange: (value: T) => void;
};

export function Segments<T extends string>({ label, options, value, onChange }: SegmentProps<T>) {
  return (
    <fieldset className={styles.segments} aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.text}
        </button>
      ))}
    </fieldset>
  );
}

type Tab = { id: string; content: ReactNode };

/** ARIA tabs pattern: arrow keys move the selection and the focus. */
export function Tabs({
  label,
  tabs,
  current,
  onChange,
  after,
}: {
  label: string;
  tabs: readonly Tab[];
  current: string;
  onChange: (id: string) => void;
  after?: ReactNode;
}) {
  function move(step: number) {
    const at = tabs.findIndex(({ id }) => id === current);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  }
  return (
    <div className={styles.tabs}>
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => {
          if (event.key === 'ArrowRight') move(1);
          if (event.key === 'ArrowLeft') move(-1);
        }}
      >
        {tabs.map(({ id, content }) => (
          <button
            key={id}
            id={`tab-${id}`}
            type="button"
            role="tab"
            aria-selected={id === current}
            tabIndex={id === current ? 0 : -1}
            onClick={() => onChange(id)}
          >
            {content}
          </button>
        ))}
      </div>
      {after}
    </div>
  );
}

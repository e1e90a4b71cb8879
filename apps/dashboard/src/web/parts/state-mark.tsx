import type { ReactNode } from 'react';

/** Shapes that are distinguishable without colour. `knock` is drawn in the background colour. */
const shapes = {
  queued: <circle cx="8" cy="8" r="5.3" />,
  retry: <path d="M13.3 8a5.3 5.3 0 1 1-1.7-3.9l1.7 1.5M13.3 2.7v2.9h-2.9" />,
  sending: (
    <>
      <circle cx="8" cy="8" r="5.3" />
      <path className="fill" d="M8 2.7a5.3 5.3 0 0 1 0 10.6z" />
    </>
  ),
  sent: (
    <>
      <circle cx="8" cy="8" r="5.6" />
      <path d="m5.4 8.2 1.9 1.9 3.5-3.9" />
    </>
  ),
  delivered: (
    <>
      <circle className="fill" cx="8" cy="8" r="6.3" />
      <path className="knock" d="m5 8.2 2.1 2.1 4-4.4" />
    </>
  ),
  read: <path d="m1.4 8.5 2.9 3L10.2 5M7.2 10.6l.9.9L14.4 5" strokeWidth="1.8" />,
  failed: (
    <>
      <rect className="fill" x="1.9" y="1.9" width="12.2" height="12.2" rx="1.6" />
      <path className="knock" d="m5.4 5.4 5.2 5.2M10.6 5.4l-5.2 5.2" />
    </>
  ),
  skipped: (
    <>
      <circle cx="8" cy="8" r="5.3" />
      <path d="m4.4 11.6 7.2-7.2" />
    </>
  ),
  unknown: (
    <>
      <path className="fill" d="M8 .6 15.4 8 8 15.4.6 8z" />
      <path
        className="knock"
        d="M6.3 6.4c.1-1 .8-1.6 1.8-1.6s1.7.6 1.7 1.5c0 1.3-1.7 1.3-1.7 2.6M8.1 11.1h0"
      />
    </>
  ),
  attention: (
    <>
      <path className="fill" d="M8 1.6 15.2 14H.8z" />
      <path className="knock" d="M8 6v3.6M8 11.8h0" />
    </>
  ),
  paused: <path className="fill" d="M4.6 3h2.2v10H4.6zM9.2 3h2.2v10H9.2z" />,
  draft: <circle cx="8" cy="8" r="5.3" strokeDasharray="2.2 2" />,
  none: <circle className="fill" cx="8" cy="8" r="1.1" />,
  dot: <circle className="fill" cx="8" cy="8" r="3.6" />,
  absent: <path d="M3.4 3.4l9.2 9.2M12.6 3.4l-9.2 9.2" strokeWidth="1.8" />,
} satisfies Record<string, ReactNode>;

export type MarkName = keyof typeof shapes;

const isMarkName = (name: string): name is MarkName => name in shapes;

export function Mark({ name, size = 14, tone }: { name: string; size?: number; tone?: string }) {
  const shape = isMarkName(name) ? name : 'queued';
  return (
    <svg
      className={`m ${tone ?? shape}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      {shapes[shape]}
    </svg>
  );
}

/** A mark always comes with its text. */
export function State({ name, children }: { name: string; children?: ReactNode }) {
  return (
    <span className={`state s-${name}`}>
      <Mark name={name} />
      <span>{children ?? name}</span>
    </span>
  );
}

/** Line icons, 16 by 16; a path that starts with `F` is filled. */
const icons = {
  sms: ['M2.5 3.5h11v7.2H7.6L4.6 13v-2.3H2.5z', 'M5.4 7.1h0M8 7.1h0M10.6 7.1h0'],
  email: [
    'M3 3.5h10a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1z',
    'm2.5 4.5 5.5 4.3 5.5-4.3',
  ],
  whatsapp: ['M2.6 13.4l.8-2.7a5.6 5.6 0 1 1 2.1 2z', 'm5.7 8.2 1.6 1.6 3-3.3'],
  slack: ['M6.2 2.5 5 13.5M11 2.5 9.8 13.5M2.8 5.8h10.7M2.5 10.2h10.7'],
  telegram: ['M14 2.6 1.9 7.3l3.7 1.6 1.5 4.3 2-2.6 3 2.2zM5.6 8.9l5-3.6'],
  push: [
    'M5.8 1.8h4.4a1.6 1.6 0 0 1 1.6 1.6v9.2a1.6 1.6 0 0 1-1.6 1.6H5.8a1.6 1.6 0 0 1-1.6-1.6V3.4a1.6 1.6 0 0 1 1.6-1.6z',
    'M4.4 6.2h7.2M7.2 12h1.6',
  ],
  onesignal: [
    'M2.4 8a5.6 5.6 0 1 0 11.2 0A5.6 5.6 0 1 0 2.4 8z',
    'M6.8 8a1.2 1.2 0 1 0 2.4 0 1.2 1.2 0 1 0-2.4 0zM8 9.2v4.2',
  ],
  in_app: ['M2.2 9.2 4 3.2h8l1.8 6v3.6H2.2z', 'M2.4 9.3h3.2c.2 1.3 1.1 2 2.4 2s2.2-.7 2.4-2h3.2'],
  chart: ['M2.5 13.5h11M4.5 13.5V8.6M8 13.5V3.2M11.5 13.5V6.2'],
  channel: ['M3 5.5h10M3 10.5h10'],
  log: ['M2.5 3.8h2M2.5 8h2M2.5 12.2h2M6.8 3.8h6.7M6.8 8h6.7M6.8 12.2h4.2'],
  event: [
    'M8 1.9v2M8 3.9c-2.5 0-3.6 1.8-3.6 4 0 1.9-.6 2.8-1.5 3.6h10.2c-.9-.8-1.5-1.7-1.5-3.6 0-2.2-1.1-4-3.6-4zM6.7 13.6c.3.4.8.6 1.3.6s1-.2 1.3-.6',
  ],
  plug: ['M5.5 1.8v3.4M10.5 1.8v3.4M3.6 5.2h8.8v2.2a4.4 4.4 0 0 1-8.8 0zM8 11.8v2.6'],
  queues: ['M2.2 4h11.6M2.2 8h7.6M2.2 12h4.2', 'Fm10.6 10.4 2.4 1.8-2.4 1.8z'],
  sandbox: ['M2.4 5.2 8 2.2l5.6 3v5.8L8 13.9l-5.6-2.9z', 'M2.4 5.2 8 8.1l5.6-2.9M8 8.1v5.8'],
  alert: ['M8 2.4 14.2 13.2H1.8z', 'M8 6.4v3.2M8 11.4h0'],
  apps: ['M2.6 2.6h4.4v4.4H2.6zM9 2.6h4.4v4.4H9zM2.6 9h4.4v4.4H2.6zM9 9h4.4v4.4H9z'],
  key: ['M2.3 10.8a2.9 2.9 0 1 0 5.8 0 2.9 2.9 0 1 0-5.8 0z', 'm7.3 8.7 6-6M10.6 5.4l2 2'],
  history: ['M2.4 8a5.6 5.6 0 1 0 1.9-4.2L2.4 5.5M2.4 2.6v2.9h2.9M8 4.9V8l2.2 1.4'],
  person: [
    'M5.5 5.4a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0z',
    'M3 13.6c.3-2.7 2.2-4.2 5-4.2s4.7 1.5 5 4.2',
  ],
  people: [
    'M3.6 5.6a2.1 2.1 0 1 0 4.2 0 2.1 2.1 0 1 0-4.2 0zM1.6 12.8c.2-2.3 1.7-3.5 4.1-3.5s3.9 1.2 4.1 3.5',
    'M9.9 3.6a2.1 2.1 0 0 1 .6 4.1M11.6 9.6c1.6.4 2.6 1.5 2.8 3.2',
  ],
  search: ['M2.6 7a4.4 4.4 0 1 0 8.8 0A4.4 4.4 0 1 0 2.6 7z', 'm10.3 10.3 3.4 3.4'],
  theme: ['M2.4 8a5.6 5.6 0 1 0 11.2 0A5.6 5.6 0 1 0 2.4 8z', 'FM8 2.4a5.6 5.6 0 0 1 0 11.2z'],
  down: ['m4.5 6.3 3.5 3.4 3.5-3.4'],
  right: ['m6.3 4.5 3.4 3.5-3.4 3.5'],
  up: ['M8 12.8V3.4M4 7.2l4-3.9 4 3.9'],
  x: ['m4 4 8 8M12 4l-8 8'],
  copy: [
    'M6.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1z',
    'M3.5 10.5h-1v-8h8v1',
  ],
  plus: ['M8 3v10M3 8h10'],
  play: ['M4.8 3v10l7.6-5z'],
  live: [
    'M4.9 4.9a4.4 4.4 0 0 0 0 6.2M11.1 4.9a4.4 4.4 0 0 1 0 6.2',
    'FM6.3 8a1.7 1.7 0 1 0 3.4 0 1.7 1.7 0 1 0-3.4 0z',
  ],
  webhook: [
    'M6.2 6.6a2.4 2.4 0 1 1 3.3-.9L11.6 10M9.4 9.6l.3-.2a2.4 2.4 0 1 1 1.4 3.9 2.4 2.4 0 0 1-2.3-1.6H5.2',
    'M7.4 5.6 5 9.6a2.4 2.4 0 1 0 1.9 3.4',
  ],
  retry: ['M13.3 8a5.3 5.3 0 1 1-1.7-3.9l1.7 1.5M13.3 2.7v2.9h-2.9'],
} satisfies Record<string, string[]>;

export type IconName = keyof typeof icons;

/** Decorative; the meaning is in the text or accessible name beside it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="i" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {icons[name].map((path) =>
        path.startsWith('F') ? (
          <path key={path} d={path.slice(1)} className="fill" />
        ) : (
          <path key={path} d={path} />
        ),
      )}
    </svg>
  );
}

const isIconName = (name: string): name is IconName => Object.hasOwn(icons, name);

/** Channels unknown to this page get a plain icon. */
export function channelIcon(channel: string): IconName {
  return isIconName(channel) ? channel : 'channel';
}

export function Bell({ className = 'mark' }: { className?: string | undefined }) {
  return (
    <svg className={className} viewBox="0 0 24 24" aria-hidden="true">
      <path
        className="t"
        fillRule="evenodd"
        d="M12 .6 18.6 7.4H5.4zM4 8.3h16v1.9H4zM5.2 11.1h13.6V23.4H5.2zM7.6 21.4h8.8v-4.6a4.4 4.4 0 0 0-8.8 0z"
      />
      <path
        className="b"
        d="M12 13.5c1.9 0 2.7 1.4 2.7 3.1 0 1.2.35 1.8.95 2.4h-7.3c.6-.6.95-1.2.95-2.4 0-1.7.8-3.1 2.7-3.1zM12 21a.95.95 0 0 1-.95-.95h1.9A.95.95 0 0 1 12 21z"
      />
    </svg>
  );
}

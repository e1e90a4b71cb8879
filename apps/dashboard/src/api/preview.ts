import type { Definition } from './events';
import type { PublishProblem } from './problem';

/** POST api/apps/:appId/events/:eventId/preview */
export type PreviewBody = {
  definition: Definition;
  locale?: string;
  /** Left out: made from the paths of the templates. */
  data?: Record<string, unknown>;
  /** As in a call to send; what it lacks is made up. */
  user?: Record<string, unknown>;
  /** Only these. */
  channels?: string[];
};

export type PreviewAnswer = { data: Record<string, unknown>; previews: ChannelPreview[] };

export type ChannelPreview =
  | {
      channel: string;
      state: 'rendered';
      target: string;
      /** The channel's composed content: `{text}`, `{subject, html, text, ...}`, `{blocks}` and so on. */
      content: unknown;
      /** Paths that the data did not hold. */
      missing: string[];
      /** The numbers that matter, such as `segments`. */
      notes: Record<string, string | number>;
      /** Exactly what the provider would be asked, without a credential. */
      request: { operation: string; body: unknown } | null;
    }
  | { channel: string; state: 'failed'; reason: string; detail: string }
  | { channel: string; state: 'refused'; problems: PublishProblem[] };

/** GET api/apps/:appId/events/:eventId/sample: data to begin with. */
export type SampleAnswer = {
  /** Made from the paths of the draft. */
  made: Record<string, unknown>;
  /** Of the newest request of this event that holds any; null for none, or a sensitive event. */
  fromRequest: {
    requestId: string;
    createdAt: number;
    data: Record<string, unknown>;
    user: Record<string, unknown> | null;
  } | null;
};

/**
 * POST api/frames, as a form into a frame: `<form method="post" target="<frame's name>" action="api/frames">` with the
 * field `html`, and `theme`: light or dark. Answers it as a page that may run no script and load nothing from elsewhere.
 */
export type FrameField = 'html' | 'theme';

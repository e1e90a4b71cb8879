import type { Definition } from './events';
import type { PublishProblem } from './problem';

/** POST api/apps/:appId/events/:eventId/preview */
export type PreviewBody = {
  definition: Definition;
  locale?: string;
  /** If omitted, sample data is generated from the paths of the templates. */
  data?: Record<string, unknown>;
  /** As in a send call; missing addresses are generated. */
  user?: Record<string, unknown>;
  /** Only these channels. */
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
      /** Paths that are missing in the data. */
      missing: string[];
      /** Key figures, such as `segments`. */
      notes: Record<string, string | number>;
      /** The exact request to the provider, without credentials. */
      request: { operation: string; body: unknown } | null;
    }
  | { channel: string; state: 'failed'; reason: string; detail: string }
  | { channel: string; state: 'refused'; problems: PublishProblem[] };

/** GET api/apps/:appId/events/:eventId/sample: initial sample data. */
export type SampleAnswer = {
  /** Built from the paths of the draft. */
  generated: Record<string, unknown>;
  /** Data of the newest request of this event that has any; null if there is none or the event is sensitive. */
  fromRequest: {
    requestId: string;
    createdAt: number;
    data: Record<string, unknown>;
    user: Record<string, unknown> | null;
  } | null;
};

/**
 * POST api/frames, a form that targets a frame: `<form method="post" target="<frame's name>" action="api/frames">`
 * with the fields `html` and `theme` (light or dark). Answers the HTML as a page that cannot run scripts or load
 * external resources.
 */
export type FrameField = 'html' | 'theme';

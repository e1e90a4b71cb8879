import { operatorInput } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import { publishProblem } from './problem';
import type { RouteSpec } from './route-spec';
import { anyObject, nullable, time } from './schemas';

const { definitionInput, maxLocaleCharacters } = operatorInput;

const channelPreview = Type.Union([
  Type.Object({
    channel: Type.String(),
    state: Type.Literal('rendered'),
    target: Type.String(),
    /** The channel's composed content: `{text}`, `{subject, html, text, ...}`, `{blocks}` and so on. */
    content: Type.Unknown(),
    /** Paths that are missing in the data. */
    missing: Type.Array(Type.String()),
    /** Key figures, such as `segments`. */
    notes: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
    /** The exact request to the provider, without credentials. */
    request: nullable(Type.Object({ operation: Type.String(), body: Type.Unknown() })),
  }),
  Type.Object({
    channel: Type.String(),
    state: Type.Literal('failed'),
    reason: Type.String(),
    detail: Type.String(),
  }),
  Type.Object({
    channel: Type.String(),
    state: Type.Literal('refused'),
    problems: Type.Array(publishProblem),
  }),
]);
export type ChannelPreview = Static<typeof channelPreview>;

const preview = Type.Object({ data: anyObject, previews: Type.Array(channelPreview) });
export type PreviewAnswer = Static<typeof preview>;

const sample = Type.Object({
  /** Built from the paths of the draft. */
  generated: anyObject,
  /** Data of the newest request of this event that has any; null if there is none or the event is sensitive. */
  fromRequest: nullable(
    Type.Object({
      requestId: Type.String(),
      createdAt: time,
      data: anyObject,
      user: nullable(anyObject),
    }),
  ),
});

/** Only these channels; if omitted, all of the definition. */
export const selectedChannels = Type.Optional(Type.Array(Type.String(), { maxItems: 20 }));

export const previewRoutes = {
  /** Initial sample data. */
  'GET /api/apps/:appId/events/:eventId/sample': { access: 'viewer', answer: sample },
  /** The content of each channel, rendered from an unsaved definition. 422 `too_complex`. */
  'POST /api/apps/:appId/events/:eventId/preview': {
    access: 'viewer',
    body: Type.Object({
      definition: definitionInput,
      locale: Type.Optional(Type.String({ maxLength: maxLocaleCharacters })),
      /** An object. If omitted, sample data is generated from the paths of the templates. */
      data: Type.Optional(Type.Unknown()),
      /** As in a send call; missing addresses are generated. */
      user: Type.Optional(Type.Unknown()),
      channels: selectedChannels,
    }),
    answer: preview,
  },
  /**
   * A form that targets a frame: `<form method="post" target="<frame's name>" action="api/frames">` with the fields
   * `html` and `theme` (light or dark). Responds with the HTML as a page that cannot run scripts or load external
   * resources. 400 `bad_request` without `html`.
   */
  'POST /api/frames': {
    access: 'viewer',
    isForm: true,
    body: Type.Partial(Type.Object({ html: Type.Unknown(), theme: Type.Unknown() })),
  },
} as const satisfies Record<string, RouteSpec>;

import { describeAlias } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';

/** Headers that a template may set. Any other could change who gets the mail or how it is read. */
const allowedHeaders = Type.Object(
  {
    'List-Unsubscribe': Type.Optional(Type.String()),
    'List-Unsubscribe-Post': Type.Optional(Type.String()),
    'List-Id': Type.Optional(Type.String()),
    'Auto-Submitted': Type.Optional(Type.String()),
    Precedence: Type.Optional(Type.String()),
    'Feedback-ID': Type.Optional(Type.String()),
    'Message-ID': Type.Optional(
      Type.String({ description: 'One ID, such as `<id@domain>`, different for each message.' }),
    ),
    'In-Reply-To': Type.Optional(Type.String()),
    References: Type.Optional(Type.String()),
    'X-Entity-Ref-ID': Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

// Object.keys of a literal object returns exactly its own names.
export const allowedHeaderNames = Object.keys(
  allowedHeaders.properties,
) as (keyof typeof allowedHeaders.properties)[];

const maxCopies = 50;
export const maxAttachments = 20;

/** Attachment fields shared by templates and calls. */
const fileFacts = {
  content_type: Type.Optional(
    Type.String({
      description:
        'For example `text/calendar; method=REQUEST`. When empty, it follows from the file name.',
    }),
  ),
  content_id: Type.Optional(
    Type.String({ description: 'Lets the HTML show the file with `<img src="cid:…">`.' }),
  ),
  disposition: Type.Optional(
    Type.Union([Type.Literal('attachment'), Type.Literal('inline'), Type.Literal('')], {
      description: 'Defaults to `inline` with a `content_id`, else `attachment`.',
    }),
  ),
};

export const emailTemplate = Type.Object({
  subject: Type.String({ title: 'Subject' }),
  html: Type.Optional(Type.String({ title: 'HTML' })),
  text: Type.Optional(
    Type.String({ title: 'Text', description: 'Generated from the HTML when empty.' }),
  ),
  from: Type.Optional(
    Type.Object({ name: Type.Optional(Type.String()), address: Type.Optional(Type.String()) }),
  ),
  reply_to: Type.Optional(Type.String({ title: 'Reply to' })),
  cc: Type.Optional(Type.Array(Type.String(), { maxItems: maxCopies })),
  bcc: Type.Optional(Type.Array(Type.String(), { maxItems: maxCopies })),
  attachments: Type.Optional(
    Type.Array(
      Type.Object({
        file_name: Type.String(),
        content: Type.String({ description: 'A placeholder for base64.' }),
        ...fileFacts,
      }),
      { maxItems: maxAttachments },
    ),
  ),
  headers: Type.Optional(allowedHeaders),
});

const wireAttachment = Type.Object({
  file_name: Type.Optional(Type.String()),
  filename: Type.Optional(Type.String({ description: describeAlias('file_name') })),
  content: Type.Optional(Type.String({ description: 'Base64.' })),
  url: Type.Optional(Type.String({ description: 'Fetched when the message is sent. https only.' })),
  ...fileFacts,
});

const wireCopies = Type.Array(
  Type.Union([
    Type.String(),
    Type.Object({ name: Type.Optional(Type.String()), address: Type.Optional(Type.String()) }),
  ]),
  { maxItems: maxCopies, description: 'Each as an address or as `{name, address}`.' },
);

export const emailOverride = Type.Object({
  from: Type.Optional(
    Type.Object({ name: Type.Optional(Type.String()), address: Type.Optional(Type.String()) }),
  ),
  cc: Type.Optional(wireCopies),
  bcc: Type.Optional(wireCopies),
  reply_to: Type.Optional(Type.String()),
  attachments: Type.Optional(
    Type.Union([Type.Array(wireAttachment, { maxItems: maxAttachments }), wireAttachment]),
  ),
  message: Type.Optional(
    Type.Object({
      subject: Type.Optional(Type.String()),
      text: Type.Optional(Type.String()),
      html_body: Type.Optional(Type.String()),
    }),
  ),
});

export type EmailTemplate = Static<typeof emailTemplate>;
export type EmailOverride = Static<typeof emailOverride>;
export type WireAttachment = Static<typeof wireAttachment>;

/** A complete mail, except for the sender when the integration provides it. */
export type EmailContent = {
  subject: string;
  html?: string;
  text?: string;
  from?: { name?: string; address?: string };
  replyTo?: string;
  cc: string[];
  bcc: string[];
  attachments: Attachment[];
  headers: Record<string, string>;
};

/** The MIME headers of an attachment. The content ID has no angle brackets. */
export type FileFacts = {
  contentType?: string;
  contentId?: string;
  disposition?: 'attachment' | 'inline';
};

/** Content is base64; the sender fetches a URL. */
export type Attachment = FileFacts &
  ({ fileName: string; content: string } | { fileName: string | undefined; url: string });

import { type Static, Type } from '@sinclair/typebox';

/** Headers that a template may set; any other could change whom the mail goes to or how it is read. */
export const allowedHeaders = Type.Object(
  {
    'List-Unsubscribe': Type.Optional(Type.String()),
    'List-Unsubscribe-Post': Type.Optional(Type.String()),
    'List-Id': Type.Optional(Type.String()),
    'Auto-Submitted': Type.Optional(Type.String()),
    Precedence: Type.Optional(Type.String()),
    'Feedback-ID': Type.Optional(Type.String()),
    'In-Reply-To': Type.Optional(Type.String()),
    References: Type.Optional(Type.String()),
    'X-Entity-Ref-ID': Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

const maxCopies = 50;
export const maxAttachments = 20;

export const emailTemplate = Type.Object({
  subject: Type.String({ title: 'Subject' }),
  html: Type.Optional(Type.String({ title: 'HTML' })),
  text: Type.Optional(
    Type.String({ title: 'Text', description: 'Made from the HTML when empty.' }),
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
      }),
      { maxItems: maxAttachments },
    ),
  ),
  headers: Type.Optional(allowedHeaders),
});

const wireAttachment = Type.Object({
  file_name: Type.Optional(Type.String()),
  filename: Type.Optional(Type.String({ description: 'The same as `file_name`, which wins.' })),
  content: Type.Optional(Type.String({ description: 'Base64.' })),
  url: Type.Optional(Type.String({ description: 'Fetched when the message is sent: https only.' })),
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

/** A mail, ready but for what the integration gives: its sender where the content names none. */
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

/** Content is base64; a URL is fetched by the sender. */
export type Attachment =
  | { fileName: string; content: string }
  | { fileName: string | undefined; url: string };

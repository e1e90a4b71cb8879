import { type Static, Type } from '@sinclair/typebox';
import { type LinkPreview, linkPreviewField } from '../link-preview';

/** The limits of the Cloud API, in characters. */
export const whatsappLimits = {
  textCharacters: 4_096,
  bodyCharacters: 1_024,
  headerCharacters: 60,
  mediaUrlCharacters: 2_000,
  fileNameCharacters: 240,
  buttonUrlCharacters: 2_000,
  buttonPayloadCharacters: 256,
  buttonCodeCharacters: 20,
} as const;

const maxParameters = 100;
const maxButtons = 10;

const parameterName = Type.String({
  title: 'Name',
  description:
    'Only when the approved text has named variables; otherwise they are counted from 1.',
  pattern: '^([A-Za-z_][A-Za-z0-9_]{0,63})?$',
});

const parameter = Type.Object({
  name: Type.Optional(parameterName),
  value: Type.String({ title: 'Value' }),
});

const header = Type.Object({
  kind: Type.Union(
    [Type.Literal('text'), Type.Literal('image'), Type.Literal('video'), Type.Literal('document')],
    { title: 'Kind' },
  ),
  value: Type.String({
    title: 'Value',
    description: 'The variable in the text, or the https URL of the file.',
  }),
  name: Type.Optional(parameterName),
  file_name: Type.Optional(Type.String({ title: 'File name', description: 'For a document.' })),
});

const button = Type.Object({
  index: Type.Integer({
    title: 'Position',
    description:
      'The position in the approved template, from 0. Buttons without a parameter count, but are not listed here.',
    minimum: 0,
    maximum: 9,
  }),
  kind: Type.Union([Type.Literal('url'), Type.Literal('quick_reply'), Type.Literal('copy_code')], {
    title: 'Kind',
    description: 'Use the kind url for a one-time code.',
  }),
  value: Type.String({
    title: 'Value',
    description: 'The end of the approved URL, the payload that a reply returns, or the code.',
  }),
});

const approvedTemplate = Type.Object({
  name: Type.Optional(
    Type.String({
      title: 'Name',
      description: 'The name of the template that Meta approved.',
      pattern: '^([a-z0-9_]{1,512})?$',
    }),
  ),
  language: Type.Optional(
    Type.String({
      title: 'Language',
      description: 'The approved language, such as en or pt_BR.',
      pattern: '^([a-z]{2,3}(_[A-Za-z]{2,4})?)?$',
    }),
  ),
  content_sid: Type.Optional(
    Type.String({
      title: 'Content SID',
      description: 'The same template at Twilio: HX….',
      pattern: '^(HX[0-9a-fA-F]{32})?$',
    }),
  ),
  body: Type.Optional(
    Type.String({
      title: 'Approved text',
      description: 'As approved, with {{1}} or {{name}}; the parameters are checked against it.',
      maxLength: whatsappLimits.bodyCharacters,
    }),
  ),
  parameters: Type.Optional(
    Type.Array(parameter, { title: 'Parameters', maxItems: maxParameters }),
  ),
  header: Type.Optional(header),
  buttons: Type.Optional(Type.Array(button, { title: 'Buttons', maxItems: maxButtons })),
});

export const whatsappTemplate = Type.Object({
  text: Type.Optional(
    Type.String({
      title: 'Text',
      description: 'Delivered only within 24 hours of the person’s last message.',
    }),
  ),
  template: Type.Optional(approvedTemplate),
  ...linkPreviewField,
});

export const whatsappOverride = Type.Object({
  message: Type.Optional(Type.Object({ text: Type.Optional(Type.String()) })),
});

export type WhatsappTemplate = Static<typeof whatsappTemplate>;
export type WhatsappOverride = Static<typeof whatsappOverride>;
export type ApprovedTemplate = Static<typeof approvedTemplate>;
export type HeaderKind = Static<typeof header>['kind'];
export type ButtonKind = Static<typeof button>['kind'];

/** The content in provider-neutral form. A provider refuses a template that has no name for it. */
export type WhatsappContent =
  | ({ kind: 'text'; text: string } & LinkPreview)
  | {
      kind: 'template';
      /** The template at Meta; both fields are set together. */
      name?: string;
      language?: string;
      /** The template at Twilio. */
      contentSid?: string;
      /** In order; either all have a name, or none. */
      parameters: Parameter[];
      header?: Header;
      buttons: Button[];
      /** The text that the person reads, when the approved text is known. */
      preview?: string;
    };

export type TemplateContent = Extract<WhatsappContent, { kind: 'template' }>;

/** Never empty, and one line. */
export type Parameter = { name?: string; text: string };

export type Header =
  | { kind: 'text'; name?: string; text: string }
  | { kind: 'image' | 'video'; url: string }
  | { kind: 'document'; url: string; fileName?: string };

export type Button = { index: number; kind: ButtonKind; text: string };

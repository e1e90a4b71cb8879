import { Value } from '@sinclair/typebox/value';
import type { DescribeCall } from '../channel';
import { type MetaPayload, metaPayload } from './meta-integration';
import type { Button, Header, Parameter, TemplateContent, WhatsappContent } from './template';

export type MetaRequest = Record<string, unknown>;

/** The request to the Cloud API; every report returns our message ID. */
export function createMetaRequest(call: DescribeCall<WhatsappContent>): MetaRequest {
  const { messageId, target, content } = call;
  const { preview_url: previewUrl, context } = getPayload(call);
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: target,
    ...(context ? { context } : {}),
    ...(content.kind === 'text'
      ? buildText(content.text, previewUrl ?? content.linkPreview)
      : buildTemplate(content)),
    biz_opaque_callback_data: messageId,
  };
}

function getPayload({ payload }: DescribeCall<WhatsappContent>): MetaPayload {
  return Value.Check(metaPayload, payload) ? payload : {};
}

function buildText(body: string, previewUrl = false): MetaRequest {
  return { type: 'text', text: { preview_url: previewUrl, body } };
}

function buildTemplate(content: TemplateContent): MetaRequest {
  const { name, language, parameters, header, buttons } = content;
  const components = [
    ...(header ? [{ type: 'header', parameters: [buildHeader(header)] }] : []),
    ...(parameters.length > 0
      ? [{ type: 'body', parameters: parameters.map(buildParameter) }]
      : []),
    ...buttons.map(buildButton),
  ];
  return {
    type: 'template',
    template: {
      name,
      language: { code: language },
      ...(components.length > 0 ? { components } : {}),
    },
  };
}

function buildParameter({ name, text }: Parameter): MetaRequest {
  return { type: 'text', ...(name === undefined ? {} : { parameter_name: name }), text };
}

function buildHeader(header: Header): MetaRequest {
  switch (header.kind) {
    case 'text':
      return buildParameter(header);
    case 'document': {
      const { url: link, fileName: filename } = header;
      return { type: 'document', document: { link, ...(filename ? { filename } : {}) } };
    }
    default:
      return { type: header.kind, [header.kind]: { link: header.url } };
  }
}

function buildButton({ index, kind, text }: Button): MetaRequest {
  return {
    type: 'button',
    sub_type: kind,
    index: String(index),
    parameters: [buttonParameters[kind](text)],
  };
}

const buttonParameters: Record<Button['kind'], (text: string) => MetaRequest> = {
  url: (text) => ({ type: 'text', text }),
  quick_reply: (payload) => ({ type: 'payload', payload }),
  copy_code: (code) => ({ type: 'coupon_code', coupon_code: code }),
};

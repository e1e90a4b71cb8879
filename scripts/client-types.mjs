// Generates the TypeScript types of packages/client from the gateway's schemas of bodies and answers.

const width = 100;
/** A type that also accepts interfaces. */
const dataObject = 'DataObject';
/** The text of `describeAlias` in packages/shared. */
const alias = /^Alias of `\w+`, which takes precedence\.$/;

export function clientTypes({ operations, errorCatalogue }) {
  const names = new Map();
  const types = listSchemas(operations).map(([name, schema, isBody]) => {
    const text = write(schema, { isBody, names, indent: '' });
    names.set(JSON.stringify(schema), name);
    return `${comment(schema.description, '')}export type ${name} = ${text};`;
  });
  const codes = Object.keys(errorCatalogue).map((code) => `  | '${code}'`);
  return `${[
    '// Generated from the gateway’s schemas by `npm run docs`. Do not edit.',
    "import type { DataObject } from '../data-object';",
    ...types,
    `/** The \`code\` of a gateway error. */\nexport type GatewayErrorCode =\n${codes.join('\n')};`,
  ].join('\n\n')}\n`;
}

/** Names, schemas, and whether callers send them. A schema that another one contains comes first. */
function listSchemas(operations) {
  const get = (operationId) => operations.find(({ id }) => id === operationId);
  const [sendEvent, bulkSend] = [get('sendEvent'), get('bulkSend')];
  return [
    ['Recipient', sendEvent.body.properties.user, true],
    ['Override', sendEvent.body.properties.override, true],
    ['SendEventBody', sendEvent.body, true],
    ['SendEventAnswer', sendEvent.answer, false],
    ['DryRunAnswer', sendEvent.dryRun.answer, false],
    ['BulkElement', bulkSend.body.properties.batch.items, true],
    ['BulkSendBody', bulkSend.body, true],
    ['BulkSendAnswer', bulkSend.answer, false],
    ['CancelBody', get('cancelMessages').body, true],
    ['CancelAnswer', get('cancelMessages').answer, false],
    ['StateCounts', get('readRequest').answer.properties.counts, false],
    ['RequestMessage', get('readRequest').answer.properties.messages.items, false],
    ['RequestStatus', get('readRequest').answer, false],
    ['NewDeviceBody', get('addDevice').body, true],
    ['DeviceBody', get('updateDevice').body, true],
    ['Device', get('readDevice').answer, false],
    ['DeleteDeviceAnswer', get('deleteDevice').answer, false],
    ['PushStatusBody', get('reportPushStatus').body, true],
    ['PushStatusAnswer', get('reportPushStatus').answer, false],
    ['UserBody', get('writeUser').body, true],
    ['User', get('readUser').answer, false],
    ['PreferencesBody', get('writePreferences').body, true],
    ['Preferences', get('readPreferences').answer, false],
    ['Inbox', get('listInbox').answer, false],
    ['CapturedMessage', get('waitForCaptures').answer.properties.messages.items, false],
    ['SandboxWaitAnswer', get('waitForCaptures').answer, false],
    ['WebhookType', get('createWebhook').body.properties.types.items, true],
    ['NewWebhookBody', get('createWebhook').body, true],
    ['WebhookBody', get('updateWebhook').body, true],
    ['Webhook', get('readWebhook').answer, false],
    ['WebhookWithSecret', get('createWebhook').answer, false],
    ['WebhookList', get('listWebhooks').answer, false],
    ['DeleteWebhookAnswer', get('deleteWebhook').answer, false],
    ['WebhookMessage', getWebhookEvent(get).anyOf[0].properties.data, false],
    ['WebhookEvent', getWebhookEvent(get), false],
    ['WebhookDelivery', get('sendWebhookExample').answer, false],
    ['WebhookDeliveryList', get('listWebhookDeliveries').answer, false],
    ['WebhookExampleBody', get('sendWebhookExample').body, true],
    ['ResendFailedAnswer', get('resendFailedWebhookDeliveries').answer, false],
  ];
}

/** The body of a webhook is part of a delivery. */
function getWebhookEvent(get) {
  return get('sendWebhookExample').answer.properties.body;
}

/** In a body, null and undefined leave a member out. */
function write(schema, at) {
  const name = at.names.get(JSON.stringify(schema));
  if (name) return name;
  if (schema.const !== undefined) return literal(schema.const);
  const values = schema.enum ?? (at.isBody && schema['x-values']);
  if (values) return values.map(literal).join(' | ');
  // Beside `type`, `anyOf` only lists required members.
  const isUnion = schema.type === undefined && schema.anyOf !== undefined;
  const texts = isUnion
    ? schema.anyOf.map((each) => write(each, at))
    : [schema.type ?? 'unknown'].flat().map((type) => writers[type](schema, at));
  return [...new Set(texts)].join(' | ');
}

const writers = {
  object: writeObject,
  array: ({ items }, at) => `readonly ${inArray(items ? write(items, at) : 'unknown')}[]`,
  string: () => 'string',
  number: () => 'number',
  integer: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  unknown: () => 'unknown',
};

function inArray(text) {
  return /^\w+$/.test(text) ? text : `(${text})`;
}

function writeObject(schema, at) {
  const { properties, patternProperties = {}, additionalProperties, required = [] } = schema;
  if (!properties) {
    const [member = additionalProperties] = Object.values(patternProperties);
    const text = member ? write(member, at) : 'unknown';
    return at.isBody && text === 'unknown' ? dataObject : `{ readonly [name: string]: ${text} }`;
  }
  const inner = { ...at, indent: `${at.indent}  ` };
  const lines = Object.entries(properties)
    .filter(([, member]) => !(at.isBody && alias.test(member.description ?? '')))
    .map(([name, member]) => {
      const isRequired = required.includes(name);
      const text = write(member, inner);
      const isOpen = at.isBody && !isRequired && text !== 'unknown';
      const key = `${/^\w+$/.test(name) ? name : `'${name}'`}${isRequired ? '' : '?'}`;
      const line = `${inner.indent}${key}: ${text}${isOpen ? ' | null | undefined' : ''};`;
      return comment(member.description, inner.indent) + line;
    });
  if (lines.length === 0) return at.isBody ? dataObject : 'object';
  return `{\n${lines.join('\n')}\n${at.indent}}`;
}

function comment(text, indent) {
  if (!text) return '';
  const line = `${indent}/** ${text.replaceAll('*/', '*')} */`;
  if (line.length <= width) return `${line}\n`;
  const words = text.replaceAll('*/', '*').split(' ');
  const lines = [''];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (indent.length + 3 + longer.length > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return `${indent}/**\n${lines.map((each) => `${indent} * ${each}`).join('\n')}\n${indent} */\n`;
}

function literal(value) {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

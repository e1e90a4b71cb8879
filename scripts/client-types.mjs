// The TypeScript types of packages/client, made from the schemas by which the gateway validates and answers.

const width = 100;
/** Takes interfaces, too. */
const dataObject = 'DataObject';
/** Other spellings, for callers of old clients. */
const alias = /^The same as .*, which wins\.$/;

export function clientTypes({ operations, errorCatalogue }) {
  const names = new Map();
  const types = namedSchemas(operations).map(([name, schema, isBody]) => {
    const text = write(schema, { isBody, names, indent: '' });
    names.set(JSON.stringify(schema), name);
    return `${comment(schema.description, '')}export type ${name} = ${text};`;
  });
  const codes = Object.keys(errorCatalogue).map((code) => `  | '${code}'`);
  return `${[
    '// Made from the schemas of the gateway by `npm run docs`: change it there.',
    "import type { DataObject } from '../data-object';",
    ...types,
    `/** Of an error that the gateway answers. */\nexport type GatewayErrorCode =\n${codes.join('\n')};`,
  ].join('\n\n')}\n`;
}

/** Name, schema, and whether callers write it. One that stands in another is named before it. */
function namedSchemas(operations) {
  const of = (wanted) => operations.find(({ id }) => id === wanted);
  const [sendEvent, bulkSend] = [of('sendEvent'), of('bulkSend')];
  return [
    ['Recipient', sendEvent.body.properties.user, true],
    ['Override', sendEvent.body.properties.override, true],
    ['SendEventBody', sendEvent.body, true],
    ['SendEventAnswer', sendEvent.answer, false],
    ['DryRunAnswer', sendEvent.dryRun.answer, false],
    ['BulkElement', bulkSend.body.properties.batch.items, true],
    ['BulkSendBody', bulkSend.body, true],
    ['BulkSendAnswer', bulkSend.answer, false],
    ['StateCounts', of('readRequest').answer.properties.counts, false],
    ['RequestMessage', of('readRequest').answer.properties.messages.items, false],
    ['RequestStatus', of('readRequest').answer, false],
    ['NewDeviceBody', of('addDevice').body, true],
    ['DeviceBody', of('updateDevice').body, true],
    ['Device', of('readDevice').answer, false],
    ['DeleteDeviceAnswer', of('deleteDevice').answer, false],
    ['PushStatusBody', of('reportPushStatus').body, true],
    ['PushStatusAnswer', of('reportPushStatus').answer, false],
    ['UserBody', of('writeUser').body, true],
    ['User', of('readUser').answer, false],
    ['Inbox', of('listInbox').answer, false],
    ['CapturedMessage', of('waitForCaptures').answer.properties.messages.items, false],
    ['SandboxWaitAnswer', of('waitForCaptures').answer, false],
  ];
}

/** In a body null and undefined mean that a member is not given. */
function write(schema, at) {
  const name = at.names.get(JSON.stringify(schema));
  if (name) return name;
  if (schema.const !== undefined) return literal(schema.const);
  const values = schema.enum ?? (at.isBody && schema['x-values']);
  if (values) return values.map(literal).join(' | ');
  // Beside a type it only says which members must be there.
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
  unknown: () => 'unknown',
};

function inArray(text) {
  return /^\w+$/.test(text) ? text : `(${text})`;
}

function writeObject({ properties, patternProperties, required = [] }, at) {
  if (!properties) {
    const [member] = Object.values(patternProperties ?? {});
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

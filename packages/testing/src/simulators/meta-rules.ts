import { parseObject } from './read-object';
import {
  findProblem,
  isEnum,
  isFlag,
  isList,
  isObjectWith,
  isText,
  isTextUpTo,
  type Members,
  matches,
  type Rule,
} from './rules';

export type ReadMetaMessage = { body: Members } | { code: number; details: string };

/** An unknown field or one of another type, a missing field, and a value that is not allowed. */
const codes = { unknown: 100, missing: 131_008, value: 131_009 } as const;

/**
 * Reads the body of `messages` by developers.facebook.com/docs/whatsapp/cloud-api/reference/messages, and by the pages of
 * text messages (4096 characters) and of templates' components: a variable is one line, without tabs or more than four
 * spaces in a row; a header has at most 60 characters, a callback 512.
 */
export function readMetaMessage(bytes: Buffer): ReadMetaMessage {
  const body = parseObject(bytes);
  if (!body) return { code: codes.unknown, details: 'Invalid JSON' };
  const missing = required.find((name) => !(name in body));
  if (missing) return { code: codes.missing, details: `${missing} is missing` };
  const type = String(body['type']);
  if (!(type in body)) return { code: codes.missing, details: `${type} is missing` };
  const problem = findProblem(body, rules);
  if (problem === undefined) return { body };
  const isUnknown = problem.endsWith('is unknown');
  return { code: isUnknown ? codes.unknown : codes.value, details: problem };
}

const required = ['messaging_product', 'to', 'type'];
const httpUrl = matches(/^https?:\/\/\S+$/, 'must be a URL');

/** "cannot have new-line/tab characters or more than 4 consecutive spaces" */
const isVariable: Rule = (value) =>
  isText(value) ??
  (/[\n\r\t]| {5}/.test(String(value)) ? 'has a line break, a tab or five spaces' : undefined);

const parameterName = matches(/^[A-Za-z0-9_]+$/, 'must be letters, digits and _');
const variable = isObjectWith(
  { type: isEnum('text'), text: isVariable, parameter_name: parameterName },
  ['type', 'text'],
);
const headerVariable: Rule = (value) =>
  variable(value) ?? isTextUpTo(60)((value as Members)['text']);

/** A parameter must have the member that its type names. */
function media(kind: string, extra: Record<string, Rule> = {}): Rule {
  const file = isObjectWith({ link: httpUrl, ...extra }, ['link']);
  return isObjectWith({ type: isEnum(kind), [kind]: file }, ['type', kind]);
}

const headerParameters: Record<string, Rule> = {
  text: headerVariable,
  image: media('image'),
  video: media('video'),
  document: media('document', { filename: isTextUpTo(240) }),
};

const buttonParameters: Record<string, Rule> = {
  url: variable,
  quick_reply: isObjectWith({ type: isEnum('payload'), payload: isTextUpTo(256) }, [
    'type',
    'payload',
  ]),
  copy_code: isObjectWith({ type: isEnum('coupon_code'), coupon_code: isTextUpTo(20) }, [
    'type',
    'coupon_code',
  ]),
};

/** The rule for the kind that a value names in one of its members. */
function byKind(name: string, kinds: Record<string, Rule>): Rule {
  return (value) => {
    const kind = (value as Members | null)?.[name];
    const rule = typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    return rule ? rule(value) : `has no ${name} of ${Object.keys(kinds).join(', ')}`;
  };
}

const buttonIndex = matches(/^[0-9]$/, 'must be a position from 0 to 9');

function createButtonRule(kind: string, parameter: Rule): Rule {
  return isObjectWith(
    {
      type: isEnum('button'),
      sub_type: isEnum(kind),
      index: buttonIndex,
      parameters: isList(parameter, { most: 1 }),
    },
    ['type', 'sub_type', 'index', 'parameters'],
  );
}

const buttons = Object.fromEntries(
  Object.entries(buttonParameters).map(([kind, parameter]) => [
    kind,
    createButtonRule(kind, parameter),
  ]),
);

const components: Record<string, Rule> = {
  header: isObjectWith(
    {
      type: isEnum('header'),
      parameters: isList(byKind('type', headerParameters), { most: 1 }),
    },
    ['type', 'parameters'],
  ),
  body: isObjectWith({ type: isEnum('body'), parameters: isList(variable, { most: 100 }) }, [
    'type',
    'parameters',
  ]),
  button: byKind('sub_type', buttons),
};

const template = isObjectWith(
  {
    name: matches(/^[a-z0-9_]{1,512}$/, 'must be lower-case letters, digits and _'),
    language: isObjectWith({ code: matches(/^[a-z]{2,3}(_[A-Z]{2,4})?$/, 'must be as en_US') }, [
      'code',
    ]),
    components: isList(byKind('type', components), { least: 0, most: 12 }),
  },
  ['name', 'language'],
);

const rules: Record<string, Rule> = {
  messaging_product: isEnum('whatsapp'),
  recipient_type: isEnum('individual'),
  to: matches(/^\+?[1-9]\d{6,14}$/, 'must be a number with its country code'),
  type: isEnum('text', 'template'),
  context: isObjectWith({ message_id: matches(/^wamid\.\S+$/, 'must be wamid.…') }, ['message_id']),
  text: isObjectWith({ body: isTextUpTo(4_096), preview_url: isFlag }, ['body']),
  template,
  biz_opaque_callback_data: isTextUpTo(512),
};

/**
 * The code with which Twilio refuses a message, or undefined: by the Message resource
 * (twilio.com/docs/messaging/api/message-resource), its description (CreateMessage in twilio/twilio-oai,
 * twilio_api_v2010.yaml) and the page of each code (twilio.com/docs/api/errors). Twilio ignores unknown parameters. The
 * simulator refuses them, so that tests notice.
 */
export function findTwilioProblem(params: URLSearchParams): number | undefined {
  const rules = [
    ...listAddressRules(params),
    ...listContentRules(params),
    ...listOptionRules(params),
  ];
  return rules.find(({ isBroken }) => isBroken)?.code;
}

type Rule = { code: number; isBroken: boolean };

const phone = /^\+[1-9]\d{6,14}$/;
const shortCode = /^\d{3,8}$/;
/** "up to 11 characters: A-Z, a-z, 0-9 and spaces", and not digits alone (docs/glossary/what-alphanumeric-sender-id). */
const alphanumericSender = /^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/;
const serviceSid = /^MG[0-9a-fA-F]{32}$/;
const contentSid = /^HX[0-9a-fA-F]{32}$/;
const whatsapp = 'whatsapp:';

function listAddressRules(params: URLSearchParams): Rule[] {
  const [to, from] = [params.get('To') ?? '', params.get('From') ?? ''];
  const service = params.get('MessagingServiceSid');
  return [
    { code: 21604, isBroken: to === '' },
    { code: 21211, isBroken: !phone.test(withoutScheme(to)) },
    { code: 21603, isBroken: from === '' && !service },
    { code: 21701, isBroken: service !== null && !serviceSid.test(service) },
    { code: 21266, isBroken: to === from },
    // "'From' and 'To' should be of the same channel."
    { code: 21910, isBroken: from !== '' && isWhatsapp(from) !== isWhatsapp(to) },
    { code: 21212, isBroken: from !== '' && !isSender(from) },
  ];
}

function isWhatsapp(address: string): boolean {
  return address.startsWith(whatsapp);
}

function withoutScheme(address: string): string {
  return isWhatsapp(address) ? address.slice(whatsapp.length) : address;
}

function isSender(from: string): boolean {
  if (isWhatsapp(from)) return phone.test(withoutScheme(from));
  return [phone, shortCode, alphanumericSender].some((form) => form.test(from));
}

const maxBodyCharacters = 1_600;
const maxMedia = 10;

function listContentRules(params: URLSearchParams): Rule[] {
  const [body, template] = [params.get('Body'), params.get('ContentSid')];
  const media = params.getAll('MediaUrl');
  const variables = params.get('ContentVariables');
  const isEmpty = !body && template === null && media.length === 0;
  const hasVariables = template !== null && areVariables(variables ?? '{}');
  return [
    { code: 21602, isBroken: isEmpty && body === '' },
    { code: 21619, isBroken: isEmpty },
    { code: 21617, isBroken: (body ?? '').length > maxBodyCharacters },
    { code: 21623, isBroken: media.length > maxMedia },
    { code: 21620, isBroken: !media.every(isUrl) },
    { code: 21655, isBroken: template !== null && !contentSid.test(template) },
    { code: 21656, isBroken: variables !== null && !hasVariables },
  ];
}

/** "must be a JSON String"; a variable "cannot be an empty string or null". */
function areVariables(text: string): boolean {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return false;
    return Object.values(read).every((value) => typeof value === 'string' && value !== '');
  } catch {
    return false;
  }
}

function isUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text);
}

const invalidParameter = 20001;

function listOptionRules(params: URLSearchParams): Rule[] {
  const isShortened = params.get('ShortenUrls') === 'true';
  return [
    { code: 21609, isBroken: !isCallback(params.get('StatusCallback')) },
    // "If true, the messaging_service_sid parameter must also be provided."
    { code: invalidParameter, isBroken: isShortened && !params.get('MessagingServiceSid') },
    { code: invalidParameter, isBroken: ![...params].every(isAllowed) },
  ];
}

/** "URL must contain a valid hostname and underscores are not allowed." */
function isCallback(url: string | null): boolean {
  return url === null || (isUrl(url) && !new URL(url).hostname.includes('_'));
}

function isAllowed([name, value]: [string, string]): boolean {
  return allowedParams.get(name)?.(value) ?? false;
}

const isAnything = () => true;
const isEnum =
  (...words: string[]) =>
  (value: string) =>
    words.includes(value);
const isFlag = isEnum('true', 'false');

/** Every parameter that Belfry may send, with its values. */
const allowedParams = new Map<string, (value: string) => boolean>([
  ['To', isAnything],
  ['From', isAnything],
  ['MessagingServiceSid', isAnything],
  ['Body', isAnything],
  ['MediaUrl', isAnything],
  ['ContentSid', isAnything],
  ['ContentVariables', isAnything],
  ['StatusCallback', isAnything],
  [
    'ValidityPeriod',
    (value) => /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= 36_000,
  ],
  ['SmartEncoded', isFlag],
  ['ShortenUrls', isFlag],
  ['SendAsMms', isFlag],
  ['ProvideFeedback', isFlag],
  ['RiskCheck', isEnum('enable', 'disable')],
  ['MessageIntent', isAnything],
  ['ContentRetention', isEnum('retain', 'discard')],
  ['AddressRetention', isEnum('retain', 'obfuscate')],
]);

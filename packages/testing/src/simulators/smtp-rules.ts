export type MailOptions = {
  /** Requested in MAIL FROM (RFC 6531). */
  isUtf8: boolean;
  /** BODY=8BITMIME in MAIL FROM (RFC 6152). */
  is8Bit: boolean;
};

/** The reply of a strict server that refuses a mail's bytes, or undefined; each rule names its RFC. */
export function findMailProblem(raw: Buffer, options: MailOptions): string | undefined {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.subarray(0, end < 0 ? raw.length : end).toString('latin1');
  const headers = readHeaders(head);
  return (
    findLineProblem(raw) ??
    (headers ? findHeaderProblem(headers) : '550 5.6.0 A header line is malformed') ??
    findCharacterProblem(head, raw.subarray(head.length), options)
  );
}

const maxLineOctets = 998;

/** RFC 5322, section 2.1.1: at most 998 octets. RFC 5321, section 2.3.8: CR and LF only together; 4.5.2: no NUL. */
function findLineProblem(raw: Buffer): string | undefined {
  const text = raw.toString('latin1');
  if (/(?<!\r)\n|\r(?!\n)/.test(text)) return '550 5.6.11 A bare CR or LF';
  if (text.includes('\0')) return '550 5.6.11 NUL';
  const isLong = text.split('\r\n').some((line) => line.length > maxLineOctets);
  return isLong ? '550 5.6.0 A line has more than 998 octets' : undefined;
}

type Header = { name: string; value: string };

/** RFC 5322, sections 2.2 and 2.2.3; undefined for a line that is neither a header nor a continuation. */
function readHeaders(head: string): Header[] | undefined {
  const headers = head.replace(/\r\n(?=[ \t])/g, '').split('\r\n');
  const isWhole = headers.every((line) => /^[\x21-\x39\x3b-\x7e]+:/.test(line));
  if (!isWhole) return undefined;
  return headers.map((line) => {
    const colon = line.indexOf(':');
    return { name: line.slice(0, colon).toLowerCase(), value: line.slice(colon + 1).trim() };
  });
}

const required = ['from', 'date'];
const atMostOnce = [
  ...['from', 'date', 'sender', 'reply-to', 'to', 'cc', 'bcc', 'subject'],
  ...['message-id', 'in-reply-to', 'references'],
  ...['mime-version', 'content-type', 'content-transfer-encoding'],
];
const messageId = /^<[^\s<>@]+@[^\s<>@]+>$/;
/** The IDs of other mails: only their brackets are checked, as servers do not read them. */
const messageIds = /^(<[^\s<>]+>\s*)+$/;

/** RFC 5322, section 3.6: the numbers of headers; 3.6.4: message IDs. RFC 2045, section 4: MIME-Version. */
function findHeaderProblem(headers: readonly Header[]): string | undefined {
  const getValues = (name: string) =>
    headers.filter((header) => header.name === name).map(({ value }) => value);
  const rules: [boolean, string][] = [
    [required.some((name) => getValues(name).length === 0), 'From or Date is missing'],
    [atMostOnce.some((name) => getValues(name).length > 1), 'A header is duplicated'],
    [getValues('bcc').length > 0, 'Bcc is not removed'],
    [!getValues('message-id').every((value) => messageId.test(value)), 'Message-ID is malformed'],
    [!getValues('references').every((value) => messageIds.test(value)), 'References is malformed'],
    [
      !getValues('in-reply-to').every((value) => messageIds.test(value)),
      'In-Reply-To is malformed',
    ],
    [!getValues('date').every((value) => dateForm.test(value)), 'Date is malformed'],
    [!getValues('from').every((value) => /[^\s<>@]+@[^\s<>@]+/.test(value)), 'From has no address'],
    [
      headers.some(({ name }) => name.startsWith('content-')) &&
        getValues('mime-version')[0] !== '1.0',
      'MIME-Version is not 1.0',
    ],
  ];
  const brokenRule = rules.find(([isBroken]) => isBroken);
  return brokenRule && `550 5.6.0 ${brokenRule[1]}`;
}

/** RFC 5322, section 3.3. */
const dateForm =
  /^((Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d(:\d\d)? [+-]\d{4}$/;

/** RFC 6532: letters outside of ASCII in headers need SMTPUTF8. RFC 6152: 8 bits in a body need 8BITMIME. */
function findCharacterProblem(
  head: string,
  body: Buffer,
  { isUtf8, is8Bit }: MailOptions,
): string | undefined {
  if (!isUtf8 && /[\x80-\xff]/.test(head)) return '550 5.6.7 The headers are not in ASCII';
  const has8Bit = body.some((byte) => byte > 127);
  return has8Bit && !isUtf8 && !is8Bit ? '554 5.6.3 The body is not 7-bit' : undefined;
}

const maxLocalOctets = 64;
const maxDomainOctets = 255;
const maxPathOctets = 254;

/** RFC 5321, section 4.5.3.1: the lengths of an address; RFC 6531: letters outside of ASCII need SMTPUTF8. */
export function findPathProblem(address: string, { isUtf8 }: MailOptions): string | undefined {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const isLong =
    Buffer.byteLength(local) > maxLocalOctets ||
    Buffer.byteLength(domain) > maxDomainOctets ||
    Buffer.byteLength(address) > maxPathOctets;
  if (isLong) return '553 5.1.3 The address is too long';
  // The library decodes the domain for people, whatever was sent.
  return !isUtf8 && /[^\x20-\x7e]/.test(local) ? '553 5.6.7 SMTPUTF8 is needed' : undefined;
}

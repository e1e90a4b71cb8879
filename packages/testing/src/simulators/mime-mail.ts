import { type AddressObject, simpleParser } from 'mailparser';
import type { ReceivedMail } from './mail-api';
import { findMailProblem } from './smtp-rules';

/** A whole mail as its recipients get it, or why a strict server refuses it. */
export async function parseMime(
  raw: Buffer,
  recipients: string[],
): Promise<ReceivedMail | { problem: string }> {
  const problem = findMailProblem(raw, { isUtf8: false, is8Bit: false });
  if (problem !== undefined) return { problem };
  const parsed = await simpleParser(raw);
  const [from] = listPeople(parsed.from);
  if (!from) return { problem: 'The mail has no sender' };
  const to = listPeople(parsed.to).map(({ address }) => address);
  const cc = listPeople(parsed.cc).map(({ address }) => address);
  return {
    from,
    to,
    cc,
    bcc: recipients.filter((address) => ![...to, ...cc].includes(address)),
    replyTo: listPeople(parsed.replyTo).map(({ address }) => address),
    subject: parsed.subject ?? '',
    text: (parsed.text ?? '').replace(/\n$/, ''),
    html: parsed.html ? parsed.html.replace(/\n$/, '') : '',
    headers: Object.fromEntries(parsed.headerLines.map(({ line }) => readLine(line))),
    attachments: parsed.attachments.map(({ filename, content, contentType, cid }) => ({
      fileName: filename ?? '',
      content,
      contentType,
      contentId: cid,
    })),
  };
}

function listPeople(field: AddressObject | AddressObject[] | undefined) {
  return [field ?? []]
    .flat()
    .flatMap(({ value }) => value)
    .map(({ name, address = '' }) => ({ name, address }));
}

function readLine(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [
    line.slice(0, colon),
    line
      .slice(colon + 1)
      .replace(/\r?\n/g, '')
      .trim(),
  ];
}

import type { MailApiSend, SmtpSend } from '@belfry/testing';
import { Parser } from 'htmlparser2';

/** A mail as the reader's program shows it: headers and parts by name. */
export function readMail({ from, to, raw, parsed }: SmtpSend) {
  return {
    envelope: { from, to },
    addresses: [parsed.from, parsed.to, parsed.cc, parsed.bcc, parsed.replyTo].map((list) =>
      [list ?? []]
        .flat()
        .flatMap(({ value }) => value)
        .map(({ name, ...address }) => ({ ...address, name: collapseSpaces(name) })),
    ),
    parts: readParts(raw.toString('latin1')),
    subject: collapseSpaces(parsed.subject ?? ''),
    headers: readHeaders(parsed),
    text: toUnixBreaks(parsed.text ?? ''),
    html: parsed.html ? readHtml(toUnixBreaks(parsed.html)) : undefined,
    attachments: parsed.attachments.map(({ filename, content, contentType }) => ({
      filename: collapseSpaces(filename ?? ''),
      contentType,
      content: content.toString('latin1'),
    })),
  };
}

/** A mail that a service got as fields, as the reader's program shows it. */
export function readFields({ mail }: MailApiSend) {
  const { html, text, headers, attachments, ...others } = mail;
  return {
    ...others,
    text: toUnixBreaks(text),
    html: html ? readHtml(toUnixBreaks(html)) : undefined,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => shownHeaders.includes(name.toLowerCase()))
        .map(([name, value]) => [name.toLowerCase(), collapseSpaces(decodeWords(value))]),
    ),
    attachments: attachments.map(({ fileName: filename, content, contentType }) => ({
      filename,
      contentType,
      content: content.toString('latin1'),
    })),
  };
}

/** A mail that a service got as MIME. Folding may lose a second space. */
export function readMime(send: MailApiSend) {
  const { subject, from, attachments, ...others } = readFields(send);
  return {
    ...others,
    subject: collapseSpaces(subject),
    from: { ...from, name: collapseSpaces(from.name) },
    attachments: attachments.map(({ filename, ...file }) => ({
      ...file,
      filename: collapseSpaces(filename),
    })),
  };
}

const shownHeaders = ['list-id', 'list-unsubscribe', 'x-entity-ref-id', 'in-reply-to'];

/** The plain text headers, by name. */
function readHeaders({ headerLines }: SmtpSend['parsed']): Record<string, string> {
  const matchingHeaders = headerLines.filter(({ key }) => shownHeaders.includes(key));
  return Object.fromEntries(
    matchingHeaders.map(({ key, line }) => [
      key,
      collapseSpaces(decodeWords(line.replace(/\r?\n/g, '').slice(key.length + 2))),
    ]),
  );
}

/** A long header is folded at a space, and a second space there may be lost. */
export function collapseSpaces(text: string): string {
  return text.replace(/ +/g, ' ');
}

function decodeWords(line: string): string {
  return line
    .replace(/\?=\s+=\?UTF-8\?B\?/g, '?==?UTF-8?B?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/g, (_, text: string) =>
      Buffer.from(text, 'base64').toString('utf8'),
    );
}

type Part = { names: string[]; type: string; parts: Part[] };

/** The header names and the parts, read from the bytes, because a parser would tolerate errors. */
function readParts(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => /^([^:\s]+): ?(.*)$/.exec(line) ?? [line, line, '']);
  const contentTypeHeader = headers.find(([, name = '']) => name.toLowerCase() === 'content-type');
  const contentType = contentTypeHeader?.[2] ?? '';
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  const [, ...bodies] = boundary ? raw.slice(end).split(`--${boundary}`) : [];
  return {
    names: headers.map(([, name = '']) => name),
    type: contentType.split(';')[0] ?? '',
    parts: bodies.slice(0, -1).map((body) => readParts(body.replace(/^\r\n/, ''))),
  };
}

function toUnixBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/\n+$/, '');
}

type HtmlToken = { tag: string; attributes?: Record<string, string> } | { text: string };

/** The tags with their attributes, and the text between them as shown. */
function readHtml(html: string): HtmlToken[] {
  const tokens: HtmlToken[] = [];
  const parser = new Parser({
    onopentag: (tag, attributes) => tokens.push({ tag, attributes }),
    onclosetag: (name) => tokens.push({ tag: `/${name}` }),
    oncomment: () => tokens.push({ tag: '!--' }),
    ontext(text) {
      const last = tokens.at(-1);
      if (last && 'text' in last) last.text += text;
      else tokens.push({ text });
    },
  });
  parser.end(html);
  return tokens;
}

type MrkdwnToken = { link: string; label: string | undefined } | { text: string };

/** Slack markup: the parts between < and >, and the text. */
export function readMrkdwn(source: string): MrkdwnToken[] {
  return source
    .split(/(<[^>]*>)/)
    .filter((part) => part !== '')
    .map((part) => {
      if (!part.startsWith('<'))
        return { text: part.includes('>') ? `STRAY ${part}` : decode(part) };
      const [link = '', label] = part.slice(1, -1).split(/\|(.*)/s);
      return { link, label: label === undefined ? label : decode(label) };
    });
}

/**
 * Standard markdown, as far as a value could write it. A backslash makes the next character
 * literal.
 */
export function readMarkdown(source: string): { text: string; markup: string[] } {
  const text = source.replace(/\\[!-/:-@[-`{-~]/g, 'x');
  const markup = text.match(/[*_~`[\]|<>]|^[ \t]*([#+=-]|\d+[.)])/gm) ?? [];
  return { text: decode(source.replace(/\\([!-/:-@[-`{-~])/g, '$1')), markup };
}

function decode(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (sign) => signs[sign] ?? sign);
}

const signs: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

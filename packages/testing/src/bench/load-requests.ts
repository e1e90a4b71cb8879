import type { LoadSpec, LoadTarget } from './load-types';

export type Address = { host: string; port: number };
export type LoadRequest = { number: number; bytes: Buffer };

const hole = '##########';

/** The bytes of calls, built once. Each call's number is written into them. */
export function createRequests({ targets, firstNumber }: LoadSpec) {
  const templates = targets.map(createTemplate);
  let nextNumber = firstNumber;

  function getTemplate(index: number) {
    const template = templates[index % templates.length];
    if (!template) throw new Error('`targets` must not be empty');
    return template;
  }

  return {
    getAddress: (index: number): Address => getTemplate(index).address,
    nextNumber: () => nextNumber,
    next(index: number): LoadRequest {
      const { bytes: template, holes } = getTemplate(index);
      const number = nextNumber;
      nextNumber += 1;
      const bytes = Buffer.from(template);
      const digits = String(number).padStart(hole.length, '0');
      for (const at of holes) bytes.write(digits, at, 'latin1');
      return { number, bytes };
    },
  };
}

function createTemplate({ url: text, headers, body }: LoadTarget) {
  const url = new URL(text);
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headerLines,
    '',
    '',
  ].join('\r\n');
  const bytes = Buffer.from(head + body);
  const holes: number[] = [];
  for (let at = bytes.indexOf(hole); at !== -1; at = bytes.indexOf(hole, at + hole.length)) {
    holes.push(at);
  }
  return { address: { host: url.hostname, port: Number(url.port) }, bytes, holes };
}

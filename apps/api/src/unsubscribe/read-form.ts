import { AppError } from '@belfry/shared';
import type { Request } from 'express';

/**
 * Reads the fields of a form in both encodings that mail programs may send (RFC 8058, section 3.2). Files are not fields. The
 * parser of Node refuses boundaries of fewer than 27 characters, which RFC 2046 allows.
 */
export function readForm(req: Request, body: Buffer): Map<string, string[]> {
  const [type = '', ...parameters] = splitParameters(req.headers['content-type'] ?? '');
  const fields = new Map<string, string[]>();
  for (const [name, value] of parse(type.toLowerCase(), parameters, body.toString())) {
    // Copying the values would take quadratic time.
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  }
  return fields;
}

function parse(type: string, parameters: string[], text: string): Iterable<[string, string]> {
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(text);
  if (type === 'multipart/form-data')
    return parseMultipart(findParameter(parameters, 'boundary'), text);
  throw new AppError(
    'unsupported_media_type',
    'the content type must be application/x-www-form-urlencoded or multipart/form-data',
  );
}

/** The text fields of the parts; RFC 7578. */
function parseMultipart(boundary: string | undefined, text: string): [string, string][] {
  const [, ...parts] = boundary ? `\r\n${text}`.split(`\r\n--${boundary}`) : [];
  const end = parts.findIndex((part) => part.startsWith('--'));
  if (end === -1)
    throw new AppError(
      'bad_request',
      'the body is not a form with the boundary of its content type',
    );
  return parts.slice(0, end).flatMap((part): [string, string][] => {
    const headEnd = part.indexOf('\r\n\r\n');
    const lines = part.slice(0, Math.max(headEnd, 0)).split('\r\n');
    const disposition = lines.find((line) => /^content-disposition:/i.test(line)) ?? '';
    const [, ...parameters] = splitParameters(disposition);
    const name = findParameter(parameters, 'name');
    const isField = name !== undefined && findParameter(parameters, 'filename') === undefined;
    return isField ? [[name, part.slice(headEnd + 4)]] : [];
  });
}

function splitParameters(header: string): string[] {
  return header.split(';').map((each) => each.trim());
}

function findParameter(parameters: string[], name: string): string | undefined {
  const start = `${name}=`;
  const parameter = parameters.find((each) => each.toLowerCase().startsWith(start));
  return parameter?.slice(start.length).replace(/^"(.*)"$/, '$1');
}

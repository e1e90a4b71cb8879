import { Resolver } from 'node:dns/promises';
import type { DnsRecord } from '../channel';
import { readTag } from './dkim';

/** The texts of the TXT records of a name, as `node:dns` returns them. */
export type ResolveTxt = (name: string) => Promise<string[][]>;

const dnsTimeoutMs = 3_000;

/** Rejects with a code of `node:dns`, at the latest after 3 s. */
export async function resolveTxt(name: string): Promise<string[][]> {
  const resolver = new Resolver();
  const timer = setTimeout(() => resolver.cancel(), dnsTimeoutMs);
  try {
    return await resolver.resolveTxt(name);
  } finally {
    clearTimeout(timer);
  }
}

const absent = new Set(['ENOTFOUND', 'ENODATA']);

/** Whether receivers find the key of the record in DNS, as a sentence. Never rejects. */
export async function describePublished(record: DnsRecord, resolve: ResolveTxt): Promise<string> {
  const { name } = record;
  try {
    const keys = (await resolve(name)).map((texts) => readTag(texts.join(''), 'p'));
    if (keys.includes(readTag(record.value, 'p'))) {
      return `DKIM: Belfry signs, and DNS has the public key at ${name}.`;
    }
    return `DKIM: the TXT record at ${name} does not have the public key of this integration, so receivers reject the signature. Publish the record that the integration shows.`;
  } catch (error) {
    const code = String(Reflect.get(Object(error), 'code') ?? 'unknown error');
    return absent.has(code)
      ? `DKIM: DNS has no TXT record at ${name}, so receivers cannot verify the signature. Publish the record that the integration shows.`
      : `DKIM: Belfry signs, but DNS did not answer whether the TXT record at ${name} is published (${code}).`;
  }
}

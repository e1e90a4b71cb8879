import type { AnyChannel, MailingList } from '@belfry/channels';
import { type Secrets, type UnsubscribeToken, writeUnsubscribeToken } from '@belfry/runtime';
import {
  type Data,
  linkNames,
  recipientFromWire,
  type VersionDefinition,
  type WireUser,
} from '@belfry/shared';

export type LinkedMessage = {
  channel: string;
  target: string;
  /** The following are absent in previews. */
  id?: string;
  appId?: string;
  /** JSON of the wire's `user`. */
  recipient?: string | undefined;
};

type LinkInput = {
  channel: AnyChannel;
  message: LinkedMessage;
  definition: Pick<VersionDefinition, 'kind' | 'category' | 'isSensitive'>;
  /** The paths that the template reads. */
  paths: readonly string[];
  data: Data;
};

/** Adds the links of a message to its data, and tells its mailing list. */
export type AddLinks = (input: LinkInput) => { data: Data; list?: MailingList };

export type LinkDeps = {
  /** The URL of the gateway. */
  publicUrl: string;
  writeToken(message: LinkedMessage, category: string | undefined): string;
};

/**
 * Only optional events can be unsubscribed from. A version without a kind does not count as optional, and the content of a
 * sensitive event has no links. An unavailable link is an empty text, so that a template can test it.
 */
function createAddLinks({ publicUrl, writeToken }: LinkDeps): AddLinks {
  const base = publicUrl.replace(/(?<!\/)\/+$/, '');
  const host = findListHost(base);
  return (input) => addLinks(input, { base, host, writeToken });
}

type Gateway = Pick<LinkDeps, 'writeToken'> & { base: string; host: string | undefined };

function addLinks(input: LinkInput, gateway: Gateway): ReturnType<AddLinks> {
  const { message, definition, data } = input;
  const host = hasList(input) ? gateway.host : undefined;
  const isRead = readsLinks(input);
  if (host === undefined && !isRead) return { data };
  if (gateway.base === '' || isShared(input)) return { data: { ...noLinks, ...data } };
  const category = isOptional(definition) ? definition.category : undefined;
  const url = `${gateway.base}/u/${gateway.writeToken(message, category)}`;
  const values = isRead ? { ...buildValues(url, definition), ...data } : data;
  if (host === undefined) return { data: values };
  return { data: values, list: { unsubscribeUrl: url, id: buildListId(host, message, category) } };
}

function hasList({ channel, definition }: LinkInput): boolean {
  return channel.hasListHeaders === true && isOptional(definition);
}

function readsLinks({ paths }: LinkInput): boolean {
  return paths.some((path) => linkNames.some((name) => path.includes(name)));
}

/** The link of a group would switch messages off for everybody in it. */
function isShared({ channel, message }: LinkInput): boolean {
  return channel.isShared?.(message.target) === true;
}

const isOptional = ({ kind }: LinkInput['definition']) => kind === 'optional';

function buildValues(url: string, definition: LinkInput['definition']): typeof noLinks {
  if (definition.isSensitive) return noLinks;
  return {
    unsubscribe_url: isOptional(definition) ? url : '',
    preferences_url: `${url}/preferences`,
  };
}

const noLinks = { unsubscribe_url: '', preferences_url: '' };

/** Mailbox providers post only to HTTPS. */
function findListHost(base: string): string | undefined {
  if (!base.startsWith('https://') || !URL.canParse(base)) return undefined;
  const { hostname } = new URL(base);
  return hostname.length <= maxHostCharacters ? hostname.replace(/[[\]]/g, '') : undefined;
}

/** A list ID has at most 255 characters (RFC 2919, section 3), and those before the host about 105. */
const maxHostCharacters = 150;

function buildListId(host: string, { appId }: LinkedMessage, category: string | undefined): string {
  const labels = [category, appId ?? previewToken, host];
  return `<${labels.filter((label) => label !== undefined).join('.')}>`;
}

/** The links of real messages. */
export function createLinks({
  publicUrl,
  secrets,
}: Pick<LinkDeps, 'publicUrl'> & { secrets: Pick<Secrets, 'seal'> }): AddLinks {
  return createAddLinks({
    publicUrl,
    writeToken: (message, category) =>
      writeUnsubscribeToken(toToken(message, category), { secrets, nowMs: Date.now() }),
  });
}

/** Links that have the form of real ones and change nothing. */
export function createPreviewLinks(publicUrl: string): AddLinks {
  return createAddLinks({ publicUrl, writeToken: () => previewToken });
}

const previewToken = 'preview';

function toToken(
  { id = '', appId = '', channel, target, recipient }: LinkedMessage,
  category: string | undefined,
): UnsubscribeToken {
  // The gateway validated it before storing it.
  const user = recipient === undefined ? undefined : (JSON.parse(recipient) as WireUser);
  const { userId } = user ? recipientFromWire(user, []) : {};
  return {
    ...{ appId, messageId: id, channel, target },
    ...(category === undefined ? {} : { category }),
    ...(userId === undefined ? {} : { userId }),
  };
}

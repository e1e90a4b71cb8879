import {
  formatCursor,
  formatEventId,
  type InboxAddress,
  type InboxItems,
  type InboxPosition,
  parseCursor,
} from '@belfry/pipeline/operate';
import {
  changeInboxItemBody,
  changeInboxItemsBody,
  createValidator,
  type InboxStates,
  inboxItemToWire,
  isUuid,
} from '@belfry/shared';
import type { RequestHandler } from 'express';
import type { AuthenticateReaderDeps } from '../middleware/authenticate-reader';
import { ticketSeconds, writeStreamTicket } from '../middleware/stream-ticket';
import {
  invalidValue,
  pageLimits,
  type Query,
  readQueryNumber,
  readQueryValue,
} from '../query-values';
import type { ReaderCalls } from '../reader-calls';
import { messageNotFound } from './inbox';

export type InboxItemsDeps = { inbox: InboxItems & Pick<AuthenticateReaderDeps, 'secrets'> };

type InboxItemRoutes = Record<
  'list' | 'counts' | 'change' | 'changeAll' | 'createTicket',
  RequestHandler
>;

/** The inbox routes with reversible states, pages in both directions and streams. */
export function createInboxItemRoutes(
  { inbox }: InboxItemsDeps,
  { byQuery, byBody }: Pick<ReaderCalls, 'byQuery' | 'byBody'>,
): InboxItemRoutes {
  const list = byQuery(async ({ address, query }) => {
    const { items, before, after, counts, lastChange } = await inbox.readPage({
      ...address,
      ...readFrom(address, query),
      archived: readFlag(query, 'archived'),
      limit: readQueryNumber(query, 'limit', pageLimits),
    });
    const progress = { arrived: lastChange, changed: lastChange };
    return {
      items: items.map(inboxItemToWire),
      before: before && formatCursor(address, before),
      after: formatCursor(address, after),
      counts,
      stream: formatEventId(address, progress, Date.now()),
    };
  });

  const counts = byQuery(({ address }) => inbox.countItems(address));

  const change = byBody(validateChange, async ({ address, path }, body) => {
    const messageId = String(path['message_id']);
    const item = await inbox.changeItem({ ...address, messageId }, readStates(body));
    if (!item) throw messageNotFound();
    return inboxItemToWire(item);
  });

  const changeAll = byBody(validateChangeAll, async ({ address }, body) => {
    const states = readStates(body);
    const upTo = await findUpTo(address, body.up_to);
    const changed = await inbox.changeItems({ ...address, upTo, states });
    return { changed, counts: await inbox.countItems(address) };
  });

  const createTicket = byQuery(async ({ address, session }) => {
    const ticket = writeStreamTicket({ ...session, appId: address.appId }, inbox.secrets);
    return { ticket, expires_in: ticketSeconds };
  });

  async function findUpTo(address: InboxAddress, text: string): Promise<InboxPosition> {
    if (!isUuid(text)) return readCursor(address, 'up_to', text);
    const position = await inbox.findPosition({ ...address, messageId: text });
    return position ?? refuseMessage();
  }

  return { list, counts, change, changeAll, createTicket };
}

const validateChange = createValidator(changeInboxItemBody);
const validateChangeAll = createValidator(changeInboxItemsBody);

function refuseMessage(): never {
  throw messageNotFound();
}

function readFrom(address: InboxAddress, query: Query) {
  const before = readQueryValue(query, 'before');
  const after = readQueryValue(query, 'after');
  if (before !== undefined && after !== undefined) {
    throw invalidValue('after', 'must not be combined with before');
  }
  if (before !== undefined) return { from: { before: readCursor(address, 'before', before) } };
  return after === undefined ? {} : { from: { after: readCursor(address, 'after', after) } };
}

function readCursor(address: InboxAddress, name: string, text: string): InboxPosition {
  const position = parseCursor(address, text);
  if (!position)
    throw invalidValue(name, 'must be a cursor from an earlier response for this user');
  return position;
}

function readFlag(query: Query, name: string): boolean {
  const text = readQueryValue(query, name) ?? 'false';
  if (text !== 'true' && text !== 'false') throw invalidValue(name, 'must be true or false');
  return text === 'true';
}

function readStates({ seen, read, archived }: InboxStates): InboxStates {
  if (seen === undefined && read === undefined && archived === undefined) {
    throw invalidValue('body', 'must have seen, read or archived');
  }
  if (read === true && seen === false)
    throw invalidValue('seen', 'must not be false if read is true');
  return {
    ...(seen === undefined ? {} : { seen }),
    ...(read === undefined ? {} : { read }),
    ...(archived === undefined ? {} : { archived }),
  };
}

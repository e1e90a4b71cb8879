import { isUuid } from '@belfry/shared';
import type pg from 'pg';
import { hashToken } from '../devices';

/** A stored user and the field that matched. */
export type MatchedUser = AppUserRow & { matched: string };

export type AppUserRow = {
  sid: string;
  userId: string;
  /** In wire format; a token in it is sealed. */
  contact: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
};

export type UserDeviceRow = {
  sid: string;
  clientId: string | null;
  fcmToken: string | null;
  onesignalPlayerId: string | null;
  platform: string | null;
  isDisabled: boolean;
  disabledReason: string | null;
  createdAt: Date;
  updatedAt: Date;
};

export type UserPage<Row> = { rows: Row[]; isPartial: boolean };

const pageSize = 50;
const maxDevices = 100;
const maxUsersOfAddress = 20;

/** The stored users of an app. */
export function createAppUsers(pool: pg.Pool) {
  return {
    /** In order of their ids, starting after `after`. */
    async list(appId: string, after: string): Promise<UserPage<AppUserRow>> {
      const { rows } = await pool.query<AppUserRow>(
        `SELECT ${columns} FROM app_user u WHERE u.app_id = $1 AND u.user_id ~>~ $2
         ORDER BY u.user_id USING ~<~ LIMIT ${pageSize + 1}`,
        [appId, after],
      );
      return toPage(rows);
    },

    /** Users whose id or address begins with `text`, or who have a device with that id or token. */
    async search(appId: string, text: string, limit = pageSize): Promise<UserPage<MatchedUser>> {
      const { rows } = await pool.query<MatchedUser>(userSearch(appId, text, limit));
      return toPage(rows, limit);
    },

    /** IDs of stored users with exactly this address in any field; at most 20. */
    async listIdsByAddress(appId: string, address: string): Promise<string[]> {
      const { rows } = await pool.query<{ userId: string }>(addressSearch(appId, address));
      return rows.map(({ userId }) => userId);
    },

    async find(appId: string, sid: string): Promise<AppUserRow | undefined> {
      const { rows } = await pool.query<AppUserRow>(
        `SELECT ${columns} FROM app_user u WHERE u.id = $2 AND u.app_id = $1`,
        [appId, sid],
      );
      return rows[0];
    },

    async listDevices(sid: string): Promise<UserDeviceRow[]> {
      const { rows } = await pool.query<UserDeviceRow>(
        `SELECT id AS sid, client_id AS "clientId", fcm_token AS "fcmToken", fields ->> 'onesignal_player_id' AS "onesignalPlayerId", platform,
           notifications_disabled AS "isDisabled", disabled_reason AS "disabledReason",
           created_at AS "createdAt", updated_at AS "updatedAt"
         FROM device WHERE user_sid = $1 ORDER BY id DESC LIMIT ${maxDevices}`,
        [sid],
      );
      return rows;
    },
  };
}

export type AppUsers = ReturnType<typeof createAppUsers>;

const columns = `u.id AS sid, u.user_id AS "userId", u.contact, u.created_at AS "createdAt", u.updated_at AS "updatedAt"`;

function toPage<Row>(rows: Row[], limit = pageSize): UserPage<Row> {
  return { rows: rows.slice(0, limit), isPartial: rows.length > limit };
}

type SearchedField = {
  name: string;
  /** The expression of its index. */
  expression: string;
  /** The index holds only users where this is not null; undefined when it holds every user. */
  presenceExpression?: string;
  /** The beginnings of stored values that match a searched text. */
  beginnings(text: string): string[];
};

const toExactText = (text: string) => [text];
const toLowerText = (text: string) => [text.toLowerCase()];

/** Each field has its own index. A search reads at most one page of rows from each. */
const searchedFields: readonly SearchedField[] = [
  { name: 'user_id', expression: 'u.user_id', beginnings: toExactText },
  createContactField(['email'], (value) => `lower(${value})`, toLowerText),
  createContactField(['mobile'], stripNonDigits, listPhonePrefixes),
  createContactField(['whatsapp_mobile'], stripNonDigits, listPhonePrefixes),
  createContactField(['slack', 'channel_id'], (value) => value, toExactText),
  createContactField(['slack', 'email'], (value) => `lower(${value})`, toLowerText),
  createContactField(['telegram', 'chat_id'], (value) => value, toExactText),
  createContactField(['onesignal_external_id'], (value) => value, toExactText),
];

function createContactField(
  path: [string, string?],
  buildExpression: (value: string) => string,
  beginnings: SearchedField['beginnings'],
): SearchedField {
  const [field, member] = path;
  const presenceExpression =
    member === undefined ? `u.contact ->> '${field}'` : `u.contact #>> '{${field},${member}}'`;
  const name = member === undefined ? field : `${field}.${member}`;
  return { name, presenceExpression, expression: buildExpression(presenceExpression), beginnings };
}

function stripNonDigits(value: string): string {
  return `regexp_replace(${value}, '[^0-9+]', '', 'g')`;
}

/** With and without the plus, which callers may omit. Empty when the text is not part of a phone number. */
function listPhonePrefixes(text: string): string[] {
  if (!/^[+\d\s().-]+$/.test(text)) return [];
  const digits = text.replaceAll(/[^0-9+]/g, '');
  if (digits.replace('+', '') === '') return [];
  if (digits.startsWith('+')) return [digits, digits.slice(1)];
  const international = digits.startsWith('00') ? [`+${digits.slice(2)}`] : [`+${digits}`];
  return [digits, ...international];
}

/** Appended to a prefix, it sorts after every text with that prefix. */
const lastCharacter = '\u{10FFFF}';

/** One index scan per field and beginning, each limited to a page. */
export function userSearch(
  appId: string,
  text: string,
  limit = pageSize,
): { text: string; values: unknown[] } {
  const values: unknown[] = [appId, text];
  const bind = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const walks = searchedFields.flatMap(({ name, expression, presenceExpression, beginnings }) =>
    beginnings(text).map((beginning) => {
      const conditions = [
        'u.app_id = $1',
        ...(presenceExpression === undefined ? [] : [`${presenceExpression} IS NOT NULL`]),
        `${expression} ~>=~ ${bind(beginning, 'text')}`,
        `${expression} ~<~ ${bind(beginning + lastCharacter, 'text')}`,
      ];
      return `SELECT u.id, '${name}' AS matched FROM app_user u WHERE ${conditions.join(' AND ')}
        ORDER BY ${expression} USING ~<~ LIMIT ${limit + 1}`;
    }),
  );
  const all = [...walks, ...deviceWalks(text, bind)];
  const walkUnion = all.map((walk) => `(${walk})`).join(' UNION ALL ');
  return {
    values,
    text: `SELECT ${columns}, f.matched FROM (
        SELECT DISTINCT ON (b.id) b.id, b.matched FROM (${walkUnion}) b ORDER BY b.id, b.matched) f
      JOIN app_user u ON u.id = f.id
      ORDER BY u.user_id = $2 DESC, u.user_id USING ~<~ LIMIT ${limit + 1}`,
  };
}

/** One index look-up per field and spelling. */
function addressSearch(appId: string, address: string): { text: string; values: unknown[] } {
  const values: unknown[] = [appId];
  const lookUps = searchedFields.flatMap(({ expression, presenceExpression, beginnings }) =>
    presenceExpression === undefined
      ? []
      : beginnings(address).map(
          (value) => `(SELECT u.user_id FROM app_user u
            WHERE u.app_id = $1 AND ${presenceExpression} IS NOT NULL AND ${expression} = $${values.push(value)}::text
            LIMIT ${maxUsersOfAddress})`,
        ),
  );
  const text = `SELECT DISTINCT f.user_id AS "userId" FROM (${lookUps.join(' UNION ALL ')}) f LIMIT ${maxUsersOfAddress}`;
  return { text, values };
}

function deviceWalks(text: string, bind: (value: unknown, type: string) => string): string[] {
  const byToken = `SELECT d.user_sid, 'device' FROM device d WHERE d.app_id = $1 AND d.fcm_token = $2
    AND ${hashToken('d.fcm_token')} = ${hashToken('$2::text')}`;
  const id = text.toLowerCase();
  if (!isUuid(id)) return [byToken];
  return [
    byToken,
    `SELECT d.user_sid, 'device' FROM device d WHERE d.app_id = $1 AND d.id = ${bind(id, 'uuid')}`,
    `SELECT u.id, 'user_sid' FROM app_user u WHERE u.app_id = $1 AND u.id = ${bind(id, 'uuid')}`,
  ];
}

import type { Json } from '../data';

type Members = { [key: string]: Json };

/**
 * Drops null members, which mean "not given" everywhere except inside `data`, where null is a value. Arrays keep their
 * length. A body without null is not copied.
 */
export function withoutNulls(body: Json): Json {
  if (!isMembers(body) || !hasNull(body)) return body;
  return dropMembers(body, (key, value) =>
    key === 'batch' && Array.isArray(value)
      ? value.map(dropItemNulls)
      : dropMemberNulls(key, value),
  );
}

function dropItemNulls(item: Json): Json {
  return isMembers(item) ? dropMembers(item, dropMemberNulls) : item;
}

function dropMemberNulls(key: string, value: Json): Json {
  return key === 'data' ? value : dropNulls(value);
}

// Recursion is safe: parseJson limits the depth.

function dropNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(dropNulls);
  return isMembers(value) ? dropMembers(value, (_, member) => dropNulls(member)) : value;
}

function dropMembers(object: Members, change: (key: string, value: Json) => Json): Members {
  const entries = Object.entries(object).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, change(key, value)]));
}

function hasNull(value: Json): boolean {
  if (value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(hasNull);
  // A loop over keys: building a list of values for each object of a bulk costs more than reading them.
  for (const key of Object.keys(value)) if (hasNull(value[key] ?? null)) return true;
  return false;
}

type Names = Readonly<Record<string, string>>;

/**
 * Renames the camelCase members of `user` that an old client sends to interface names. The interface name wins. Returns
 * the same object if there is nothing to rename.
 */
export function withInterfaceNames(item: Json): Json {
  if (!isMembers(item) || !isMembers(item['user'])) return item;
  const user = renameUser(item['user']);
  return user === item['user'] ? item : { ...item, user };
}

/** In the order of an old client's documentation. */
export const camelCaseNames = {
  userId: 'user_id',
  whatsappMobile: 'whatsapp_mobile',
  onesignalExternalId: 'onesignal_external_id',
  fcmTokens: 'fcm_tokens',
  iosTokens: 'ios_tokens',
  fcmTopic: 'fcm_topic',
  fcmDeviceGroup: 'fcm_device_group',
  onesignalPlayerIds: 'onesignal_player_ids',
} as const satisfies Names;

const namesInside = {
  slack: { accessToken: 'access_token', channelId: 'channel_id' },
  telegram: { chatId: 'chat_id' },
} as const satisfies Record<string, Names>;

function renameUser(user: Members): Members {
  let renamed = rename(user, camelCaseNames);
  for (const [name, names] of Object.entries(namesInside)) {
    const member = renamed[name];
    if (!isMembers(member)) continue;
    const renamedMember = rename(member, names);
    if (renamedMember !== member) renamed = { ...renamed, [name]: renamedMember };
  }
  return renamed;
}

function rename(members: Members, names: Names): Members {
  if (!Object.keys(members).some((name) => Object.hasOwn(names, name))) return members;
  const renamed: Members = {};
  for (const [name, value] of Object.entries(members)) {
    const interfaceName = Object.hasOwn(names, name) ? names[name] : undefined;
    if (interfaceName === undefined) renamed[name] = value;
    else if (!Object.hasOwn(members, interfaceName)) renamed[interfaceName] = value;
  }
  return renamed;
}

function isMembers(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members of an object that are not undefined. */
export function definedOnly<T extends object>(object: T): Defined<T> {
  const defined: Record<string, unknown> = {};
  const source = object as Record<string, unknown>;
  // A loop over names: Object.entries would cost each send as much as validating its body.
  for (const name of Object.keys(source)) {
    const value = source[name];
    if (value !== undefined) defined[name] = value;
  }
  // Safe cast: undefined members were dropped, so the rest are those of T without undefined.
  return defined as Defined<T>;
}

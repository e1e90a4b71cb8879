import type { Json } from '../data';

type Members = { [name: string]: Json };
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

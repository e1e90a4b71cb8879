import type { TelegramUpdate } from './telegram-webhook';

let updates = 1_000_000;
const nextUpdateId = () => {
  updates += 1;
  return updates;
};

type UpdateOptions = {
  /** `private` for a positive number, else `supergroup`. */
  chatId: number;
  /** Unix time in seconds. */
  date?: number;
};

const person = { id: 42, is_bot: false, first_name: 'Ana' };
const bot = { id: 123_456_789, is_bot: true, first_name: 'Simulated', username: 'simulated_bot' };

function createChat(id: number) {
  return id > 0
    ? { id, first_name: 'Ana', type: 'private' }
    : { id, title: 'Group', type: 'supergroup' };
}

const getNow = () => Math.floor(Date.now() / 1_000);

/** An update with a text message from a person (core.telegram.org/bots/api#message). */
export function createTextUpdate(
  text: string,
  { chatId, date = getNow() }: UpdateOptions,
): TelegramUpdate {
  const update_id = nextUpdateId();
  const chat = createChat(chatId);
  return { update_id, message: { message_id: update_id, from: person, chat, date, text } };
}

/** An update about the bot's own membership (core.telegram.org/bots/api#chatmemberupdated). */
export function createMembershipUpdate(
  from: string,
  to: string,
  { chatId, date = getNow() }: UpdateOptions,
): TelegramUpdate {
  const toMember = (status: string) => ({
    user: bot,
    status,
    ...(status === 'kicked' ? { until_date: 0 } : {}),
  });
  const change = { old_chat_member: toMember(from), new_chat_member: toMember(to) };
  return {
    update_id: nextUpdateId(),
    my_chat_member: { chat: createChat(chatId), from: person, date, ...change },
  };
}

import type { UserPreferences } from '@belfry/database';
import {
  AppError,
  createValidator,
  findUnknownChannels,
  limitProblems,
  preferencesAnswer,
  preferencesBody,
  preferencesFromWire,
  preferencesToWire,
  type WireChannels,
} from '@belfry/shared';
import type { Answer } from '../call';
import type { Operation } from '../operation';
import { readUserId } from '../path-values';
import type { RouteCall } from '../post';
import type { PutCall } from '../without-idempotency-key';

export type PreferencesRoutesDeps = {
  channels: WireChannels;
  preferences: Pick<UserPreferences, 'readPreferences' | 'writePreferences'>;
};

/** `GET` and `PUT /v1/apps/{app_id}/users/{user_id}/preferences` */
export function createPreferencesRoutes({ channels, preferences }: PreferencesRoutesDeps) {
  const channelNames = Object.keys(channels);

  async function read({ caller, path }: RouteCall): Promise<Answer> {
    const stored = await preferences.readPreferences({
      appId: caller.app.id,
      userId: readUserId(path),
    });
    return { status: 200, body: JSON.stringify(preferencesToWire(stored, channelNames)) };
  }

  async function write(call: PutCall): Promise<Answer> {
    const body = validate(call.body);
    const userId = readUserId(call.path);
    refuse(findUnknownChannels(body, channelNames));
    await preferences.writePreferences({
      ...{ appId: call.caller.app.id, userId, source: 'api' },
      preferences: preferencesFromWire(body),
    });
    return read(call);
  }

  return {
    readPreferences: { operation: readOperation, answer: read },
    writePreferences: { operation: writeOperation, answer: write },
  };
}

const validate = createValidator(preferencesBody);

function refuse(problems: ReturnType<typeof findUnknownChannels>): void {
  const [first] = problems;
  if (!first) return;
  throw new AppError('validation_failed', `${first.path} ${first.problem}`, {
    problems: limitProblems(problems),
  });
}

const path = '/v1/apps/{app_id}/users/{user_id}/preferences';

const example = {
  locale: 'de',
  disabled: false,
  channel_preferences: { sms: { disabled: true } },
  categories: { news: { disabled: true, channel_preferences: { email: { disabled: false } } } },
};

const readOperation = {
  method: 'get',
  path,
  id: 'readPreferences',
  summary: 'Read the preferences of a user',
  description: `Each value switches one level off (\`true\`) or on (\`false\`). The most specific level that has a value decides: category and channel,
category, channel, everything. Without a value, a message is sent. Mandatory events ignore stored preferences.`,
  answer: preferencesAnswer,
  answerExample: { ...example, categories: {} },
  errors: { user_not_found: {} },
} satisfies Operation;

const writeOperation = {
  method: 'put',
  path,
  id: 'writePreferences',
  summary: 'Replace the preferences of a user',
  description: `The body replaces what is stored, except an absent \`locale\`. Messages that wait obey the new preferences when they are due. The webhook
\`user.unsubscribed\` reports what the call switched off. A category or channel that does not exist is an error, and nothing changes.`,
  body: preferencesBody,
  bodyExamples: {
    news: { summary: 'News by e-mail only, and nothing by SMS', value: example },
  },
  answer: preferencesAnswer,
  answerExample: example,
  errors: {
    user_not_found: {},
    validation_failed: { text: 'channel_preferences.fax is not a channel' },
  },
} satisfies Operation;

import {
  type AnyChannel,
  channels,
  listBoundFields,
  mayShowValue,
  type Provider,
} from '@belfry/channels';
import { createHints, hideHints, mergeCredentials, readBoundSettings } from './credentials';
import { Refusal } from './problem';

const providers: [string, Provider<unknown>][] = Object.entries<AnyChannel>(channels).flatMap(
  ([channel, { providers: own }]) =>
    Object.entries<Provider<unknown>>(own).map(([name, provider]) => [
      `${channel}/${name}`,
      provider,
    ]),
);

function getProvider(name: string): Provider<unknown> {
  const provider = new Map(providers).get(name);
  if (!provider) throw new Error(`Unknown provider ${name}`);
  return provider;
}

/** An integration with every field filled; the merge validates no value. */
function fill({ settings, credentials }: Provider<unknown>) {
  const values = (names: string[], text: string) =>
    Object.fromEntries(names.map((name) => [name, `${text} ${name}`]));
  return {
    settings: values(Object.keys(settings.properties), 'a stored'),
    credentials: values(Object.keys(credentials.properties), 'a stored'),
  };
}

function listFields(merge: () => unknown): string[] {
  try {
    merge();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect(error.code).toBe('invalid');
    return (error.details.fields ?? []).map(({ path }) => path.replace(/^credentials\./, ''));
  }
}

describe('stored credentials', () => {
  // Changing a field listed here sends a stored credential on without re-entry: justify it in the schema.
  test('are kept when exactly these fields change', () => {
    const free = providers.flatMap(([name, { settings, credentials }]) =>
      [settings, credentials].flatMap((schema) => {
        const bound = listBoundFields(schema);
        const all = Object.keys(schema.properties);
        return all.filter((field) => !bound.includes(field)).map((field) => `${name} ${field}`);
      }),
    );
    expect(free).toEqual([
      'email/smtp from',
      'email/smtp reply_to',
      'email/smtp bounce_domain',
      'email/smtp dkim_domain',
      'email/smtp dkim_selector',
      'email/smtp max_per_second',
      'email/smtp max_connections',
      'email/smtp pass',
      'email/smtp dkim_private_key',
      'email/mailgun from',
      'email/mailgun reply_to',
      'email/mailgun max_per_second',
      'email/mailgun webhook_key',
      'email/postmark message_stream',
      'email/postmark from',
      'email/postmark reply_to',
      'email/postmark max_per_second',
      'email/postmark webhook_user',
      'email/postmark webhook_password',
      'email/resend from',
      'email/resend reply_to',
      'email/resend max_per_second',
      'email/resend webhook_secret',
      'email/sendgrid from',
      'email/sendgrid reply_to',
      'email/sendgrid max_per_second',
      'email/sendgrid webhook_key',
      'email/ses configuration_set',
      'email/ses topic_arn',
      'email/ses from',
      'email/ses reply_to',
      'email/ses max_per_second',
      'slack/slack max_per_second',
      'sms/twilio sender',
      'sms/twilio max_per_second',
      'sms/twilio auth_token',
      'sms/twilio api_key_secret',
      'whatsapp/meta graph_version',
      'whatsapp/meta max_per_second',
      'whatsapp/meta access_token',
      'whatsapp/meta app_secret',
      'whatsapp/meta verify_token',
      'whatsapp/twilio sender',
      'whatsapp/twilio max_per_second',
      'whatsapp/twilio auth_token',
      'whatsapp/twilio api_key_secret',
      'telegram/telegram receives_replies',
      'telegram/telegram max_per_second',
      'push/fcm max_per_second',
      'push/web_push subject',
      'push/web_push max_per_second',
      'onesignal/onesignal max_per_second',
    ]);
  });

  test.each(providers)(
    'of %s must be entered again when a setting changes that they are bound to',
    (_name, provider) => {
      const stored = fill(provider);
      const names = Object.keys(stored.credentials);
      for (const setting of listBoundFields(provider.settings)) {
        for (const value of ['another', undefined, '', null]) {
          const settings = { ...stored.settings, [setting]: value };
          const merge = (credentials: Record<string, unknown>) => () =>
            mergeCredentials(provider, stored, { settings, credentials });
          expect([setting, listFields(merge({}))]).toEqual([setting, names]);
          const empty = Object.fromEntries(names.map((name) => [name, '']));
          expect([setting, listFields(merge(empty))]).toEqual([setting, names]);
          const [first, ...others] = names;
          const partial = first === undefined ? {} : { [first]: stored.credentials[first] };
          expect([setting, listFields(merge(partial))]).toEqual([setting, others]);
          expect(merge(stored.credentials)()).toEqual(stored.credentials);
        }
      }
    },
  );

  test.each(providers)(
    'of %s must be entered again when the account that they belong to changes',
    (_name, provider) => {
      const stored = fill(provider);
      const names = Object.keys(stored.credentials);
      for (const account of listBoundFields(provider.credentials)) {
        const others = names.filter((name) => name !== account);
        for (const value of ['another', null]) {
          const form = { settings: stored.settings, credentials: { [account]: value } };
          expect(listFields(() => mergeCredentials(provider, stored, form))).toEqual(others);
        }
        const added = { ...stored, credentials: { ...stored.credentials, [account]: undefined } };
        const form = { settings: stored.settings, credentials: { [account]: 'new' } };
        expect(listFields(() => mergeCredentials(provider, added, form))).toEqual(others);
      }
    },
  );

  test.each(providers)('of %s are kept when nothing else changes', (_name, provider) => {
    const stored = fill(provider);
    const same = { settings: structuredClone(stored.settings), credentials: {} };
    expect(mergeCredentials(provider, stored, same)).toEqual(stored.credentials);
    for (const setting of Object.keys(stored.settings)) {
      if (listBoundFields(provider.settings).includes(setting)) continue;
      const settings = { ...stored.settings, [setting]: 'another' };
      expect(mergeCredentials(provider, stored, { settings, credentials: {} })).toEqual(
        stored.credentials,
      );
    }
  });

  test('are kept when a form adds an absent default', () => {
    const provider = getProvider('email/smtp');
    const settings = { host: 'mail.example.com', port: 587, from: { address: 'a@example.com' } };
    const stored = { settings, credentials: { user: 'ana', pass: 'secret' } };
    const form = { settings: { ...settings, require_tls: true, secure: false }, credentials: {} };
    expect(mergeCredentials(provider, stored, form)).toEqual(stored.credentials);
  });

  test('can be replaced one by one and removed with null', () => {
    const provider = getProvider('email/smtp');
    const stored = { settings: {}, credentials: { user: 'ana', pass: 'old' } };
    const merge = (credentials: Record<string, unknown>) =>
      mergeCredentials(provider, stored, { settings: {}, credentials });
    expect(merge({ pass: 'new' })).toEqual({ user: 'ana', pass: 'new' });
    expect(merge({ user: 'ana', pass: 'new' })).toEqual({ user: 'ana', pass: 'new' });
    expect(merge({ user: null, pass: null })).toEqual({});
  });
});

describe('a form', () => {
  const hint = { last4: '', value: null, changedAt: null };

  test('shows a user name, the last characters of a long generated credential and nothing of a password', () => {
    const smtp = getProvider('email/smtp');
    const login = { user: 'ana', pass: 'correct horse battery staple' };
    expect(createHints(smtp, login, { pass: 5 })).toEqual({
      user: { ...hint, value: 'ana' },
      pass: { ...hint, changedAt: 5 },
    });
    const slack = getProvider('slack/slack');
    const read = (access_token: string) => createHints(slack, { access_token }, {});
    expect(read('xoxb-1234567890')).toEqual({ access_token: { ...hint, last4: '7890' } });
    expect(read('xoxb-123')).toEqual({ access_token: hint });
  });

  test('shows a viewer no character of a credential', () => {
    const hints = { user: { last4: '', value: 'ana', changedAt: 5 } };
    expect(hideHints(hints)).toEqual({ user: { ...hint, changedAt: 5 } });
  });

  // Every editor can read the credentials of this list: justify a new one in the schema.
  test('shows the whole value of exactly these credentials', () => {
    const shown = providers.flatMap(([name, { credentials }]) =>
      Object.keys(credentials.properties)
        .filter((field) => mayShowValue(credentials, field))
        .map((field) => `${name} ${field}`),
    );
    expect(shown).toEqual([
      'email/smtp user',
      'email/postmark webhook_user',
      'email/sendgrid webhook_key',
      'email/ses access_key_id',
      'sms/twilio account_sid',
      'sms/twilio api_key_sid',
      'whatsapp/twilio account_sid',
      'whatsapp/twilio api_key_sid',
      'push/web_push public_key',
    ]);
  });
});

test('the audit of a connection test records the destination and no other setting', () => {
  const smtp = getProvider('email/smtp');
  const settings = { host: 'mail.example.com', port: 587, from: { address: 'a@example.com' } };
  expect(readBoundSettings(smtp, settings)).toEqual({ host: 'mail.example.com', port: 587 });
});

import type { AnyChannel } from '@belfry/channels';
import { type ChannelVersion, defaultPolicy, type Recipient, type WireItem } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { createPlan, type PlanInput } from './plan';

/** A fake channel that reaches `extra.<name>_id`. */
function pager(name: string, options: Partial<AnyChannel> = {}): AnyChannel {
  const field = `${name}_id`;
  return {
    label: name,
    template: Type.Object({}),
    override: Type.Object({}),
    recipient: { [field]: Type.String() },
    deadlineMs: 1_000,
    unknownResends: 1,
    findTargets: ({ extra }: Recipient) => {
      const address = extra?.[field];
      if (address === undefined) return { skip: 'no_address', detail: `no ${field}` };
      if (address === 'wrong') return { skip: 'invalid_address', detail: 'wrong' };
      return { targets: [{ address: String(address), note: 'noted' }] };
    },
    compile: () => ({ paths: [], compose: () => ({ content: {}, missing: [] }) }),
    findMagicWord: () => undefined,
    providers: {},
    ...options,
  };
}

const channels = { pager: pager('pager'), beeper: pager('beeper') };
const plan = createPlan(channels);
const now = new Date('2026-01-01T00:00:00Z');

function version(integrationIds: string[]): ChannelVersion {
  return { integrationIds, templates: {}, policy: { ...defaultPolicy, timeToLiveMs: 5_000 } };
}

function planItem(item: WireItem, options: Partial<PlanInput> = {}) {
  let idCount = 0;
  return plan({
    item,
    stored: undefined,
    defaultRegion: null,
    definition: {
      defaultLocale: 'en',
      missing: 'empty',
      isSensitive: false,
      channels: { pager: version(['i1', 'i2']), beeper: version(['i3']) },
    },
    delivery: 'live',
    now,
    newId: () => `id${++idCount}`,
    ...options,
  });
}

const user = (fields: object) => fields as NonNullable<WireItem['user']>;

describe('plan', () => {
  test('plans a message for each channel that reaches the recipient, and gives a reason for every other', () => {
    expect(planItem({ user: user({ pager_id: 'p1' }) })).toEqual({
      messages: [
        {
          id: 'id1',
          channel: 'pager',
          target: 'p1',
          integrationId: 'i1',
          dueAt: undefined,
          timeToLiveMs: 5_000,
          jobId: undefined,
          note: 'noted',
        },
      ],
      skips: { beeper: { reason: 'no_address', detail: 'no beeper_id' } },
      locale: undefined,
    });
  });

  test('plans one message for a target that a channel finds twice', () => {
    const twice = pager('pager', {
      findTargets: () => ({ targets: [{ address: 'a' }, { address: 'b' }, { address: 'a' }] }),
    });
    const { messages } = createPlan({ pager: twice })({
      item: { user: user({ pager_id: 'a' }) },
      stored: undefined,
      defaultRegion: null,
      definition: {
        ...{ defaultLocale: 'en', missing: 'empty', isSensitive: false },
        channels: { pager: version(['i1']) },
      },
      ...{ delivery: 'live', now, newId: () => 'id' },
    });
    expect(messages.map(({ target }) => target)).toEqual(['a', 'b']);
  });

  test('skips every channel of a request without a user', () => {
    const { messages, skips } = planItem({});
    expect(messages).toEqual([]);
    expect(skips).toMatchObject({
      pager: { reason: 'no_recipient' },
      beeper: { reason: 'no_recipient' },
    });
  });

  test('prefers addresses from the request, and uses stored ones otherwise', () => {
    const stored = { extra: { pager_id: 'stored', beeper_id: 'stored' } };
    const { messages } = planItem({ user: user({ user_id: 'u', pager_id: 'given' }) }, { stored });
    expect(messages.map(({ target }) => target)).toEqual(['given', 'stored']);
  });

  test('uses the request’s addresses for a user that is not stored, and reports the channels without one', () => {
    const { messages, skips } = planItem({ user: user({ user_id: 'nobody', pager_id: 'p1' }) });
    expect(messages.map(({ target }) => target)).toEqual(['p1']);
    expect(skips).toMatchObject({ beeper: { reason: 'unknown_user' } });
  });

  test('skips an invalid address with its reason, and plans the other channels', () => {
    const { messages, skips } = planItem({ user: user({ pager_id: 'wrong', beeper_id: 'b' }) });
    expect(messages.map(({ channel }) => channel)).toEqual(['beeper']);
    expect(skips).toMatchObject({ pager: { reason: 'invalid_address' } });
  });

  test.each([
    ['all channels', { disabled: true }, []],
    ['one channel', { channel_preferences: { pager: { disabled: true } } }, ['beeper']],
  ])('respects a recipient who disabled %s', (_what, preferences, reached) => {
    const { messages } = planItem({ user: user({ pager_id: 'p', beeper_id: 'b', preferences }) });
    expect(messages.map(({ channel }) => channel)).toEqual(reached);
  });

  test('skips a live channel without an integration, unless the recipient brings a credential', () => {
    const definition = {
      defaultLocale: 'en',
      missing: 'empty' as const,
      isSensitive: false,
      channels: { pager: version([]) },
    };
    const item = { user: user({ pager_id: 'p' }) };
    expect(planItem(item, { definition }).skips).toMatchObject({
      pager: { reason: 'no_integration' },
    });
    const withToken = createPlan({ pager: pager('pager', { findOwnToken: () => 'sealed' }) });
    const input = {
      item,
      stored: undefined,
      defaultRegion: null,
      definition,
      now,
      newId: () => 'x',
    };
    expect(withToken({ ...input, delivery: 'live' }).messages).toHaveLength(1);
    expect(planItem(item, { definition, delivery: 'sandbox' }).messages).toMatchObject([
      { integrationId: undefined },
    ]);
  });

  test('plans a live built-in channel without an integration', () => {
    const channels = { pager: version([]) };
    const input = {
      item: { user: user({ pager_id: 'p' }) },
      stored: undefined,
      defaultRegion: null,
      definition: {
        defaultLocale: 'en',
        missing: 'empty' as const,
        isSensitive: false,
        channels,
      },
      delivery: 'live' as const,
      now,
      newId: () => 'x',
    };
    const builtIn = createPlan({ pager: pager('pager', { isBuiltIn: true }) });
    expect(builtIn(input)).toMatchObject({
      messages: [{ channel: 'pager', target: 'p', integrationId: undefined }],
      skips: {},
    });
  });

  test('prefers the channel’s schedule over the item’s, and sends a past schedule now', () => {
    const later = new Date('2026-01-02T00:00:00Z');
    const item = {
      user: user({ pager_id: 'p', beeper_id: 'b' }),
      scheduleAt: later.getTime(),
      override: { beeper: { schedule_at: '2020-01-01T00:00:00Z' } },
    };
    expect(planItem(item).messages.map(({ dueAt }) => dueAt)).toEqual([later, undefined]);
  });

  test.each([
    ['the request user’s preferences', { preferences: { locale: 'de-AT' } }, 'fr', 'de-AT'],
    ['the item', {}, 'fr', 'fr'],
  ])('takes the language from %s', (_where, fields, locale, expected) => {
    expect(planItem({ user: user(fields), locale }).locale).toBe(expected);
  });

  test('uses the stored user’s language only if the request has none', () => {
    const stored = { preferences: { locale: 'pl' } };
    const planLocale = (item: object) => planItem({ user: user({}), ...item }, { stored }).locale;
    expect(planLocale({})).toBe('pl');
    expect(planLocale({ locale: 'fr' })).toBe('fr');
    expect(planLocale({ user: user({ preferences: { locale: 'de' } }), locale: 'fr' })).toBe('de');
  });
});

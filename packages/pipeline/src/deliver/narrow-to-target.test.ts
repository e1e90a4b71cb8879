import { channels } from '@belfry/channels';
import { type ChannelVersion, defaultPolicy } from '@belfry/shared';
import { createPlan, type PlanInput } from '../accept/plan';
import { narrowToTarget } from './narrow-to-target';

const endpoint = 'https://push.example.net/send/abc';
const providers = { fcm1: 'fcm', web: 'web_push', fcm2: 'fcm', gone: 'web_push' };

const createVersion = (integrationIds: string[], more: Partial<ChannelVersion> = {}) => ({
  ...{ integrationIds, templates: {}, policy: defaultPolicy, providers },
  ...more,
});
const version: ChannelVersion = createVersion(['fcm1', 'web', 'fcm2']);

const listFor = (target: string, from = version) =>
  narrowToTarget(channels.push, from, target).integrationIds;

describe('the integrations that can carry a push', () => {
  test('are those of the provider that its target selects, in the order of the chain', () => {
    expect(listFor('token')).toEqual(['fcm1', 'fcm2']);
    expect(listFor('/topics/news')).toEqual(['fcm1', 'fcm2']);
    expect(listFor(endpoint)).toEqual(['web']);
    expect(listFor(endpoint, createVersion(['fcm1']))).toEqual([]);
  });

  test('are all those of FCM, if the version was read without its providers', () => {
    const { providers: _, ...unread } = createVersion(['a', 'b']);
    expect(listFor('token', unread)).toEqual(['a', 'b']);
    expect(listFor(endpoint, unread)).toEqual([]);
  });

  test('are the whole chain on every other channel, without a copy', () => {
    expect(narrowToTarget(channels.sms, version, '+4520000000')).toBe(version);
  });
});

describe('the plan of a push to a user with an FCM device and a web push subscription', () => {
  const phone = { id: 'd1', token: 'token' };
  const browser = { id: 'd2', token: endpoint };

  function plan(chain: string[], changes: Partial<PlanInput> = {}) {
    let count = 0;
    const { messages, skips } = createPlan(channels)({
      item: { user: { user_id: 'ana' } },
      stored: { devices: [browser, phone] },
      definition: {
        ...{ defaultLocale: 'en', missing: 'empty', isSensitive: false },
        channels: { push: createVersion(chain) },
      },
      ...{ delivery: 'live', defaultRegion: null, now: new Date(), newId: () => `m${++count}` },
      ...changes,
    });
    return {
      skips,
      messages: messages.map(({ target, integrationId, deviceId, note }) => [
        ...[target, integrationId, deviceId, note],
      ]),
    };
  }

  test('is one message each, by the first integration of its provider', () => {
    expect(plan(['fcm1', 'web', 'fcm2'])).toEqual({
      skips: {},
      messages: [
        [endpoint, 'web', 'd2', undefined],
        ['token', 'fcm1', 'd1', undefined],
      ],
    });
  });

  test('leaves out the device whose provider the chain does not have, and notes it', () => {
    const note = (provider: string) =>
      `This channel of the event has no ${provider} integration for 1 other device.`;
    expect(plan(['fcm1']).messages).toEqual([['token', 'fcm1', 'd1', note('web_push')]]);
    expect(plan(['web']).messages).toEqual([[endpoint, 'web', 'd2', note('fcm')]]);
  });

  test('is skipped: no_integration if that leaves no device', () => {
    const detail = 'This channel of the event has no web_push integration.';
    expect(plan(['fcm1'], { stored: { devices: [browser] } })).toEqual({
      messages: [],
      skips: { push: { reason: 'no_integration', detail } },
    });
  });

  test('needs no integration in the sandbox', () => {
    expect(plan([], { delivery: 'sandbox' })).toEqual({
      skips: {},
      messages: [
        [endpoint, undefined, 'd2', undefined],
        ['token', undefined, 'd1', undefined],
      ],
    });
  });
});

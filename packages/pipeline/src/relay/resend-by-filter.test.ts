import type { VersionRow } from '@belfry/database';
import { defaultPolicy } from '@belfry/shared';
import { createResendByFilter } from './resend-by-filter';
import type { ResendCandidate, ResendDecision } from './resend-by-filter.sql';

const sound: ResendCandidate = {
  id: 'old',
  stateThen: 'failed',
  state: 'failed',
  channel: 'sms',
  versionId: 'v',
  isErased: false,
  isNewest: true,
};

type DecideInput = {
  candidate?: Partial<ResendCandidate>;
  delivery?: 'sandbox' | 'live';
  isSensitive?: boolean;
  usable?: string[];
};

/** The decision for one message whose version uses the integrations `a`, then `b`. */
async function decide(input: DecideInput = {}): Promise<ResendDecision | undefined> {
  const { candidate, delivery = 'live', isSensitive = false, usable = ['a', 'b'] } = input;
  const version: VersionRow = {
    id: 'v',
    eventId: 'e',
    definition: {
      defaultLocale: 'en',
      missing: 'empty',
      isSensitive,
      channels: { sms: { integrationIds: ['a', 'b'], templates: {}, policy: defaultPolicy } },
    },
  };
  const decided: ResendDecision[] = [];
  const carryOut = createResendByFilter({
    async carryOutResend(judge) {
      decided.push(...(await judge({ appId: 'app', delivery }, [{ ...sound, ...candidate }])));
      return undefined;
    },
    findVersion: async () => version,
    listUsableIntegrations: async (ids) => new Set(ids.filter((id) => usable.includes(id))),
    newId: () => 'new',
  });
  await carryOut();
  return decided[0];
}

describe('a message of a resend by filter', () => {
  test('is resent by the first integration of its version, with its time to live', async () => {
    const { timeToLiveMs } = defaultPolicy;
    const generation = { id: 'new', messageId: 'old', state: 'failed', timeToLiveMs };
    expect(await decide()).toEqual({
      messageId: 'old',
      generation: { ...generation, integrationId: 'a' },
    });
    expect(await decide({ usable: ['b'] })).toMatchObject({ generation: { integrationId: 'b' } });
    expect(await decide({ usable: [], delivery: 'sandbox' })).toEqual({
      messageId: 'old',
      generation: { ...generation, integrationId: undefined },
    });
  });

  test.each<[string, DecideInput]>([
    ['gone', { candidate: { state: undefined } }],
    ['erased', { candidate: { isErased: true } }],
    ['sensitive', { isSensitive: true }],
    ['changed', { candidate: { state: 'delivered' } }],
    ['changed', { candidate: { isNewest: false } }],
    ['no_integration', { usable: [] }],
  ])('is skipped as %s: %o', async (skip, input) => {
    expect(await decide(input)).toEqual({ messageId: 'old', skip });
  });
});

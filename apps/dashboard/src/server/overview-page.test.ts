import { createPeriod, toFailure } from './overview-page';

test.each([
  ['expired', 'expired'],
  ['', 'no_reason'],
])(
  'the filter of the failures with the reason "%s" finds these and no others',
  (reason, filter) => {
    const period = createPeriod('hour', Date.UTC(2026, 10, 30));
    const { filters } = toFailure(period, { channel: 'sms', reason, messages: 2 });
    expect(filters).toMatchObject({ channel: 'sms', state: 'failed', reason: filter });
  },
);

import type { Recipient } from '@belfry/shared';
import { findWhatsappTargets } from './target';

describe('findWhatsappTargets', () => {
  test.each<[Recipient, string]>([
    [{ whatsappMobile: '+4512345678' }, '+4512345678'],
    [{ whatsappMobile: '+4512345678', mobile: '+4587654321' }, '+4512345678'],
    [{ mobile: '+4587654321' }, '+4587654321'],
    [{ whatsappMobile: ' ', mobile: '+4587654321' }, '+4587654321'],
  ])('uses the WhatsApp number of %j, or else the mobile', (recipient, address) => {
    expect(findWhatsappTargets(recipient)).toEqual({ targets: [{ address }] });
  });

  // logto-io/logto#8377, unacms/UNA#2131
  test.each(['4520123456', '004520123456', 'whatsapp:+4520123456', '+45 20-12.34 (56)'])(
    'accepts %s, and notes the change',
    (whatsappMobile) => {
      expect(findWhatsappTargets({ whatsappMobile })).toEqual({
        targets: [{ address: '+4520123456', note: expect.stringContaining('+4520123456') }],
      });
    },
  );

  test('does not fall back to the mobile when the WhatsApp number is invalid', () => {
    expect(findWhatsappTargets({ whatsappMobile: '123', mobile: '+4512345678' })).toEqual({
      skip: 'invalid_address',
      detail: 'whatsapp_mobile "123" is not a valid phone number: country code missing.',
    });
  });

  test.each<[Recipient]>([[{}], [{ mobile: ' ' }], [{ email: 'ada@example.org' }]])(
    'finds no target in %j',
    (recipient) => {
      expect(findWhatsappTargets(recipient)).toMatchObject({ skip: 'no_address' });
    },
  );
});

import { createTwilioSubject } from '../twilio/subject.fixture';
import { twilioSms } from './twilio';

export const twilioSmsSubject = createTwilioSubject({
  provider: twilioSms,
  content: { text: 'Hello' },
});

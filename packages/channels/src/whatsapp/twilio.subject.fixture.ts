import { createTwilioSubject } from '../twilio/subject.fixture';
import { twilioWhatsapp } from './twilio';

export const twilioWhatsappSubject = createTwilioSubject({
  provider: twilioWhatsapp,
  content: { kind: 'text', text: 'Hello' },
});

import type { EventRow } from '../../api/events';
import { useAnswer, useApp } from '../context';
import { CallCode } from './call-code';
import { buildExampleRecipient } from './example-recipient';

/** A complete call: a recipient for each channel, and a value for each template path. */
export function FirstCall({ event }: { event: EventRow }) {
  const app = useApp();
  const sample = useAnswer(`sample ${event.id}`, (api) => api.readSample(app.id, event.id));
  if (!sample.value) return null;
  return (
    <CallCode
      eventId={event.id}
      user={buildExampleRecipient(event.channels)}
      data={sample.value.generated}
    />
  );
}

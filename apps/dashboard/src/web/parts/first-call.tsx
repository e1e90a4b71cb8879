import type { EventRow } from '../../api/events';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { CallCode } from './call-code';
import { buildExampleRecipient } from './example-recipient';

/** A complete call: a recipient for each channel, and a value for each template path. */
export function FirstCall({ event }: { event: EventRow }) {
  const app = useApp();
  const sample = useAnswer('GET /api/apps/:appId/events/:eventId/sample', {
    appId: app.id,
    eventId: event.id,
  });
  if (!sample.value) return null;
  return (
    <CallCode
      eventId={event.id}
      user={buildExampleRecipient(event.channels)}
      data={sample.value.generated}
    />
  );
}

import type { EventRow } from '../../api/events';
import { useAnswer, useApp } from '../context';
import { CallCode } from './call-code';
import { somebodyFor } from './somebody';

/** Complete: a recipient for each of its channels, and a value for each that its templates read. */
export function FirstCall({ event }: { event: EventRow }) {
  const app = useApp();
  const sample = useAnswer(`sample ${event.id}`, (api) => api.readSample(app.id, event.id));
  if (!sample.value) return null;
  return (
    <CallCode eventId={event.id} user={somebodyFor(event.channels)} data={sample.value.made} />
  );
}

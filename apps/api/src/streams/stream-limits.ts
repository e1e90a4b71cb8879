import { AppError } from '@belfry/shared';

/** Maximum numbers of open streams in one process. */
export type StreamLimits = { ofUser: number; ofApp: number; all: number };

const maxOfUser = 10;

/** An app may have half of the streams, so that none takes all. */
export function createStreamLimits(all: number): StreamLimits {
  return { ofUser: maxOfUser, ofApp: Math.ceil(all / 2), all };
}

/** Throws if one more stream would exceed a limit. `open` is the number of open streams. */
export function checkStreamLimits(limits: StreamLimits, open: StreamLimits): void {
  if (open.ofUser >= limits.ofUser) throw tooManyStreams(`the user has ${limits.ofUser} streams`);
  if (open.ofApp >= limits.ofApp) throw tooManyStreams(`the app has ${limits.ofApp} streams`);
  if (open.all >= limits.all) throw tooManyStreams(`there are ${limits.all} streams`);
}

function tooManyStreams(fact: string): AppError {
  return new AppError('too_many_streams', `${fact} on this gateway: close one, or poll`);
}

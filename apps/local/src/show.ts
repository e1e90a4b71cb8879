import type { Paint } from './paint';

/** A request, from the gateway's log. */
export type Call = {
  method: string;
  route: string;
  status: number;
  durationMs: number;
  id: string;
};

export function showCall({ method, route, status, durationMs, id }: Call, paint: Paint): string {
  const answer = status < 400 ? paint.green(String(status)) : paint.red(String(status));
  return `-> ${method} ${route}  ${answer}  ${durationMs} ms  ${paint.dim(id)}`;
}

export type SeenMessage = {
  id: string;
  channel: string;
  target: string;
  state: string;
  reason: string | null;
  waits: string | null;
};

/** `provider` comes from the worker's log of the attempt, if there was one. */
export function showMessage(
  message: SeenMessage,
  provider: string | undefined,
  paint: Paint,
): string {
  const { channel, target, state, reason, waits } = message;
  return [
    `   ${channel.padEnd(9)}`,
    loadShared().maskTarget(channel, target).padEnd(24),
    paintState(state, paint),
    [provider, reason, waits && `waits: ${waits}`].filter(Boolean).join('  '),
  ]
    .join(' ')
    .trimEnd();
}

export function showSkip(channel: string, reason: string, paint: Paint): string {
  return `   ${channel.padEnd(9)} ${'-'.padEnd(24)} ${paintState('skipped', paint)} ${reason}`;
}

const goodStates = ['sent', 'delivered', 'read'];
const badStates = ['failed', 'unknown'];

function paintState(state: string, paint: Paint): string {
  const padded = state.padEnd(9);
  if (goodStates.includes(state)) return paint.green(padded);
  return badStates.includes(state) ? paint.red(padded) : paint.yellow(padded);
}

/** Loaded with the first message: at rest the supervisor does not need its memory. */
function loadShared(): typeof import('@belfry/shared') {
  return require('@belfry/shared');
}

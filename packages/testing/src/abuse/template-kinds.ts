import { setTimeout as wait } from 'node:timers/promises';
import { channelNames } from '@belfry/channels';
import type { HttpAnswer } from '../attacks/http-call';
import { send } from '../attacks/target';
import { createSmallGene, type Gene } from './genes';
import { type AbuseMessage, createMessage } from './messages';
import { createKind, goals, type KindReport, recordTrial } from './report';
import { describe } from './search';
import type { Program, World } from './world';

/** A recipient with an address on every channel. */
export const reachable = {
  user_id: 'ana',
  email: 'ana@example.com',
  mobile: '+4520123456',
  whatsapp_mobile: '+4520123456',
  slack: { channel_id: 'C012345678' },
  telegram: { chat_id: '55510142' },
  fcm_tokens: ['token:1'],
  onesignal_external_id: 'person-1',
};

const programs: Record<Program, string> = {
  gateway: 'a dry run',
  dashboard: 'a check and a preview',
  worker: 'a send',
};

/** A small message on each channel, so that first-use loading is not counted as growth. */
async function warmUp(world: World, genes: readonly Gene[]): Promise<void> {
  const [gene] = genes;
  if (!gene) return;
  for (const channel of channelNames) {
    const place = await createPlace(world, createMessage(createSmallGene(gene, channel)));
    for (const run of Object.values(runs)) await run(place);
  }
}

type Place = { world: World; message: AbuseMessage; eventId: string; eventName: string };

/** Sends the worst messages of the search, one at a time, through each process that renders. */
export async function runTemplates(world: World, genes: readonly Gene[]): Promise<KindReport[]> {
  const kinds = {
    gateway: createKind('S1 S2', `gateway: ${programs.gateway}`),
    dashboard: createKind('S1 S2', `dashboard: ${programs.dashboard}`),
    worker: createKind('S1 S2', `worker: ${programs.worker}`),
  };
  await warmUp(world, genes);
  for (const gene of genes) {
    if (world.isAborted()) break;
    const place = await createPlace(world, createMessage(gene));
    for (const program of ['gateway', 'dashboard', 'worker'] as const) {
      await measure(kinds[program], place, program);
    }
  }
  return Object.values(kinds);
}

async function createPlace(world: World, message: AbuseMessage): Promise<Place> {
  const { channels, missing } = message.definition;
  const event = await world.factories.createEvent(world.attacker, channels, { missing });
  return { world, message, eventId: event.eventId, eventName: event.name };
}

const runs: Record<Program, (place: Place) => Promise<string[]>> = {
  gateway: dryRun,
  dashboard: checkAndPreview,
  worker: sendAndSettle,
};

async function measure(kind: KindReport, place: Place, program: Program): Promise<void> {
  const watched = place.world.programs[program];
  await watched.read();
  const problems = await runs[program](place).catch((error: unknown) => [String(error)]);
  const reading = await watched.read();
  const description = describe(place.message.gene);
  recordTrial(kind, reading, description);
  kind.problems.push(...problems.map((problem) => `${problem}: ${description}`));
  const grownMb = reading.peakMb - reading.startMb;
  if (grownMb > goals.growthMb)
    kind.missed.push(`grew by ${grownMb.toFixed(0)} MB: ${description}`);
}

/** Answers to content that is refused. Any other status than 200 is a fault. */
function judge(what: string, { status, text }: HttpAnswer, statuses = [200, 422]): string[] {
  return statuses.includes(status) ? [] : [`${what}: ${status} ${text.slice(0, 200)}`];
}

function createCall({ eventName, message }: Place): unknown {
  const { data, override } = message;
  return { event: eventName, user: reachable, data, ...(override ? { override } : {}) };
}

async function dryRun(place: Place): Promise<string[]> {
  const { programs: built, attacker } = place.world;
  const sender = { apiUrl: built.gateway.url, ...attacker };
  return judge('dry run', await send(sender, createCall(place), '?dry_run=true'));
}

async function checkAndPreview({ world, message, eventId }: Place): Promise<string[]> {
  const { definition, data } = message;
  const at = `/api/apps/${world.attacker.appId}/events/${eventId}`;
  const { browser } = world;
  const body = { definition, data, user: reachable };
  return [
    ...judge('check', await browser.send('POST', `${at}/check`, { definition }), allowedStatuses),
    ...judge('preview', await browser.send('POST', `${at}/preview`, body), allowedStatuses),
  ];
}

/** Template and data together may exceed the limit of one body. */
const allowedStatuses = [200, 400, 413, 422];

async function sendAndSettle(place: Place): Promise<string[]> {
  const { world } = place;
  const sender = { apiUrl: world.programs.gateway.url, ...world.attacker };
  const answer = await send(sender, createCall(place));
  if (answer.status !== 200) return judge('send', answer);
  const { state, reason } = await waitUntilSettled(world, answer.body.request_id);
  const isFine = state === 'sent' || reasonsOfContent.includes(reason ?? '');
  return isFine ? [] : [`The message is ${state}, ${reason}`];
}

/** Other outcomes mean that an attempt failed unexpectedly. */
const reasonsOfContent = [
  'too_complex',
  'too_long',
  'empty_content',
  'missing_data',
  'rejected_content',
];

const settleTimeoutMs = 60_000;
const settlePollMs = 20;

export async function waitUntilSettled(
  { database }: World,
  requestId: string,
): Promise<{ state: string; reason: string | null; waitedMs: number }> {
  const endsAtMs = performance.now() + settleTimeoutMs;
  for (;;) {
    const message = await database.prisma.message.findFirst({ where: { requestId } });
    if (message?.settledAt) {
      const waitedMs = message.settledAt.getTime() - message.createdAt.getTime();
      return { state: message.state, reason: message.reason, waitedMs };
    }
    if (performance.now() > endsAtMs) {
      return {
        state: message?.state ?? 'absent',
        reason: 'not settled',
        waitedMs: settleTimeoutMs,
      };
    }
    await wait(settlePollMs);
  }
}

import type { Recipient } from '@belfry/shared';
import type { Targeting } from '../channel';
import { findMagicWordOfEmail, parseEmailAddress } from '../email/address';

/**
 * The target of a message: a conversation, or a person by ID or e-mail. With both, the e-mail is the
 * fallback.
 */
export type SlackTarget = { conversationId?: string; userId?: string; email?: string };

const conversation = /^[CGD][A-Z0-9]{8,}$/;
const person = /^[UW][A-Z0-9]{8,}$/;

export function findSlackTargets({ slack }: Recipient): Targeting {
  const parsedParts = [
    ...(slack?.channelId?.trim() ? [readId(slack.channelId.trim())] : []),
    ...(slack?.email?.trim() ? [readEmail(slack.email.trim())] : []),
  ];
  if (parsedParts.length === 0) {
    return { skip: 'no_address', detail: 'The recipient has no Slack channel_id or email.' };
  }
  const address = parsedParts
    .flatMap((part) => ('address' in part ? [part.address] : []))
    .join(' ');
  const problems = parsedParts
    .flatMap((part) => ('problem' in part ? [part.problem] : []))
    .join(' ');
  if (address === '') return { skip: 'invalid_address', detail: problems };
  return { targets: [problems ? { address, note: problems } : { address }] };
}

export function parseSlackTarget(target: string): SlackTarget {
  const parts = target.split(' ');
  const conversationId = parts.find((part) => conversation.test(part));
  const userId = parts.find((part) => person.test(part));
  const email = parts.find((part) => part.includes('@'));
  return {
    ...(conversationId ? { conversationId } : {}),
    ...(userId ? { userId } : {}),
    ...(email ? { email } : {}),
  };
}

/** Whether the target is a channel or group without a person as fallback. */
export function isSharedSlackTarget(target: string): boolean {
  const { conversationId, email } = parseSlackTarget(target);
  return email === undefined && /^[CG]/.test(conversationId ?? '');
}

/** For example, CSANDBOXBOUNCE or sandbox+bounce@example.com. */
export function findMagicWordOfSlack(target: string): string | undefined {
  const { conversationId, userId, email } = parseSlackTarget(target);
  const word = /^[CGDUW]SANDBOX([A-Z]+)$/.exec(conversationId ?? userId ?? '')?.[1];
  return word?.toLowerCase() ?? (email && findMagicWordOfEmail(email));
}

type Part = { address: string } | { problem: string };

function readId(id: string): Part {
  if (conversation.test(id) || person.test(id)) return { address: id };
  return {
    problem: `channel_id "${id}" is not the id of a channel (C…, G…, D…) or of a user (U…, W…). Use the id, not the name.`,
  };
}

function readEmail(email: string): Part {
  const parsed = parseEmailAddress(email);
  if ('address' in parsed) return { address: parsed.address };
  return { problem: `email "${email}" ${parsed.problem}.` };
}

import type { Finding } from './doctor-check';

/** Mailbox providers post only to HTTPS, so mail has no unsubscribe headers without it. */
export function judgeLinks(publicUrl: string, isNeeded: boolean): Finding[] {
  const name = 'unsubscribe links';
  if (publicUrl.startsWith('https://')) {
    return [{ name, state: 'ok', detail: `They lead to ${publicUrl}.` }];
  }
  if (!isNeeded) {
    return [{ name, state: 'ok', detail: 'No live event sends optional e-mail.' }];
  }
  const value = publicUrl === '' ? 'is not set for this command' : `is ${publicUrl}`;
  const detail = `PUBLIC_URL ${value}. Optional e-mail has List-Unsubscribe headers only if the workers’ PUBLIC_URL is HTTPS.`;
  return [{ name, state: 'warning', detail }];
}

export type Answer = { status: number; body: Record<string, unknown> };
export type Sent = { headers?: Record<string, string>; body: string };

/** Simulators to close when the test ends. */
export const closers: (() => Promise<void>)[] = [];

/** Makes a call as specified; returns the body if it is JSON. */
export async function post(url: string, { headers = {}, body }: Sent): Promise<Answer> {
  const answer = await fetch(url, { method: 'POST', headers, body });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

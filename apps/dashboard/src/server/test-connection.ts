import type { AnyChannel, Sender, SenderDeps, TestCall } from '@belfry/channels';
import { findProvider } from '@belfry/pipeline/configure';
import type { TestConnectionAnswer } from '../api/integrations';

export type TestConnection = (
  of: { channel: string; provider: string },
  input: Omit<TestCall, 'signal'>,
) => Promise<TestConnectionAnswer>;

export type TestConnectionDeps = {
  channels: Record<string, AnyChannel>;
  senderDeps: SenderDeps;
  now: () => Date;
};

const timeoutMs = 15_000;

/** Checks the credentials at the provider with the code that sends; sends nothing but a mail to a bounce domain of Belfry. */
export function createTestConnection(deps: TestConnectionDeps): TestConnection {
  const { channels, senderDeps, now } = deps;
  return async function testConnection(of, input) {
    const provider = findProvider(channels, of);
    if (!provider) throw new Error('The connection test has no provider');
    const begunAt = performance.now();
    const sender: Sender<unknown> = provider.createSender(senderDeps);
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const { isWorking, detail } = await sender.test({ ...input, signal });
      const tookMs = Math.round(performance.now() - begunAt);
      return { isWorking, detail, tookMs, testedAt: now().getTime() };
    } finally {
      await sender.close();
    }
  };
}

import { type ChannelName, channels, type SenderDeps } from '@belfry/channels';
import { openCredentials } from '@belfry/database';
import type { ConfiguredIntegration } from '@belfry/pipeline/operate';
import type { Secrets } from '@belfry/runtime';
import type { Finding } from './doctor-check';

export type IntegrationsDeps = {
  integrations: ConfiguredIntegration[];
  secrets: Secrets;
  senderDeps: SenderDeps;
};

const testTimeoutMs = 10_000;
const maxConcurrent = 5;

/** Checks the credentials of each integration with its provider. Sends no message. */
export async function examineIntegrations(deps: IntegrationsDeps): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (let from = 0; from < deps.integrations.length; from += maxConcurrent) {
    const batch = deps.integrations.slice(from, from + maxConcurrent);
    findings.push(...(await Promise.all(batch.map((each) => examineOne(deps, each)))));
  }
  if (findings.length > 0) return findings;
  return [
    {
      name: 'integrations',
      state: 'ok',
      detail: 'No app has an integration.',
    },
  ];
}

async function examineOne(
  { secrets, senderDeps }: IntegrationsDeps,
  integration: ConfiguredIntegration,
): Promise<Finding> {
  const {
    appName,
    name: integrationName,
    channel,
    provider: providerName,
    state,
    settings,
  } = integration;
  const name = `${channel} ${integrationName}`;
  const subject = `${providerName} in the app "${appName}"`;
  if (state === 'paused') return { name, state: 'warning', detail: `${subject} is paused.` };
  const provider = findProvider(channel, providerName);
  if (!provider) {
    return { name, state: 'failed', detail: `This version has no provider "${providerName}".` };
  }
  const sender = provider.createSender(senderDeps);
  try {
    const { isWorking, detail } = await sender.test({
      settings,
      credentials: openCredentials(integration, secrets),
      signal: AbortSignal.timeout(testTimeoutMs),
    });
    return { name, state: isWorking ? 'ok' : 'failed', detail: `${subject}: ${detail}` };
  } catch (error) {
    return {
      name,
      state: 'failed',
      detail: `${subject}: ${error instanceof Error ? error.message : error}`,
    };
  } finally {
    await sender.close();
  }
}

function findProvider(channel: string, provider: string) {
  if (!Object.hasOwn(channels, channel)) return undefined;
  // The line above checked that it is a channel.
  const { providers } = channels[channel as ChannelName];
  return Object.entries(providers).find(([name]) => name === provider)?.[1];
}

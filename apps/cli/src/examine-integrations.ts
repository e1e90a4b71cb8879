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
const atOnce = 5;

/** Asks each integration's provider whether it takes its credentials; nothing is sent. */
export async function examineIntegrations(deps: IntegrationsDeps): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (let from = 0; from < deps.integrations.length; from += atOnce) {
    const some = deps.integrations.slice(from, from + atOnce);
    findings.push(...(await Promise.all(some.map((one) => examineOne(deps, one)))));
  }
  if (findings.length > 0) return findings;
  return [
    {
      name: 'integrations',
      state: 'ok',
      detail: 'There are none: every message goes to the sandbox.',
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
  const subject = `${providerName} of the app "${appName}"`;
  if (state === 'paused') return { name, state: 'warning', detail: `${subject} is paused.` };
  const provider = findProvider(channel, providerName);
  if (!provider) return { name, state: 'failed', detail: `There is no provider ${providerName}.` };
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
  // The line above found it among the channels.
  const { providers } = channels[channel as ChannelName];
  return Object.entries(providers).find(([name]) => name === provider)?.[1];
}

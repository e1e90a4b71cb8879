// npm run simulators: simulates every provider on this machine, to try live delivery without provider accounts.
import { setTimeout as wait } from 'node:timers/promises';
import { endOnSignals } from './commands.mjs';
import { fail } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const pollEveryMs = 1_000;

/** @type {import('../packages/testing/dist/index.js').SimulatedChannels | undefined} */
let simulated;
endOnSignals(async () => {
  await simulated?.close();
});
main().catch(fail);

async function main() {
  await ensureBuilt();
  const { startSimulatedChannels } = await import('../packages/testing/dist/index.js');
  simulated = await startSimulatedChannels();
  const { env, channels, mailApis, simulators } = simulated;
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  console.log(
    `Every provider has a simulator. Start Belfry with them:\n\n  ${settings.join(' ')} npm start\n`,
  );
  console.log('Integrations for an app in live delivery:\n');
  for (const [channel, { provider, settings, credentials }] of Object.entries(channels)) {
    console.log(`  ${channel} by ${provider}: ${JSON.stringify({ settings, credentials })}`);
  }
  for (const [provider, { settings, credentials }] of Object.entries(mailApis)) {
    console.log(`  email by ${provider}: ${JSON.stringify({ settings, credentials })}`);
  }
  console.log('  push by web_push: {"settings":{"subject":"mailto:you@example.com"}}');
  const subscription = JSON.stringify(simulators.webPush.subscribe());
  console.log(`\nA browser that takes web push: {"push_subscription":${subscription}}`);
  console.log('\nReady. Accepted sends are shown here. Stop the simulators with Ctrl-C.');
  const webPush = { countSends: () => simulators.webPush.sends.length };
  await printSends({ ...channels, ...mailApis, 'web push': webPush });
}

/** @param {Record<string, { countSends(): number }>} channels */
async function printSends(channels) {
  const counts = new Map();
  for (;;) {
    await wait(pollEveryMs);
    for (const [channel, simulator] of Object.entries(channels)) {
      const count = simulator.countSends();
      if (count !== (counts.get(channel) ?? 0)) console.log(`${channel}: ${count} accepted`);
      counts.set(channel, count);
    }
  }
}

// npm run simulators: a stand-in for each provider on this machine, for an app in live delivery without an account anywhere.
import { setTimeout as wait } from 'node:timers/promises';
import { endOnSignals } from './commands.mjs';
import { fail } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

const lookEveryMs = 1_000;

let simulated;
endOnSignals(async () => {
  await simulated?.close();
});
main().catch(fail);

async function main() {
  await ensureBuilt();
  const { startSimulatedChannels } = await import('../packages/testing/dist/index.js');
  simulated = await startSimulatedChannels();
  const settings = Object.entries(simulated.env).map(([name, value]) => `${name}=${value}`);
  console.log(
    `Each provider has a simulator. Start Belfry beside them:\n\n  ${settings.join(' ')} npm start\n`,
  );
  console.log('Integrations that they take, for an app in live delivery:\n');
  for (const [channel, { provider, settings, credentials }] of Object.entries(simulated.channels)) {
    console.log(`  ${channel} by ${provider}: ${JSON.stringify({ settings, credentials })}`);
  }
  console.log('\nReady. What they accept is told here; Ctrl-C ends them.');
  await tellSends();
}

async function tellSends() {
  const told = new Map();
  for (;;) {
    await wait(lookEveryMs);
    for (const [channel, simulator] of Object.entries(simulated.channels)) {
      const count = simulator.countSends();
      if (count !== (told.get(channel) ?? 0)) console.log(`${channel}: ${count} accepted`);
      told.set(channel, count);
    }
  }
}

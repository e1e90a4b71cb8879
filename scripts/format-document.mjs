import { runTool } from './commands.mjs';
import { StepError } from './steps.mjs';

/** Formats a document with Biome. `file` is relative to the root. */
export async function formatDocument(file) {
  const { code, output } = await runTool('@biomejs/biome/bin/biome', ['format', '--write', file], {
    timeoutMs: 60_000,
  });
  if (code !== 0) throw new StepError(output);
}

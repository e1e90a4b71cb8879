// npm run docs: writes the generated documents.
//   npm run docs -- --check   writes nothing; fails if one of them is stale
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endOnSignals, root } from './commands.mjs';
import { createDocuments } from './documents.mjs';
import { readCode } from './read-code.mjs';
import { fail, StepError } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

endOnSignals();
main().catch(fail);

async function main() {
  await ensureBuilt();
  const stale = Object.entries(createDocuments(await readCode())).filter(
    ([file, text]) => readDocument(file) !== text,
  );
  if (process.argv.includes('--check')) {
    if (stale.length === 0) return;
    const files = stale.map(([file]) => file).join(', ');
    throw new StepError(`Stale: ${files}. Write them anew with \`npm run docs\`.`);
  }
  for (const [file, text] of stale) {
    writeFileSync(path.join(root, file), text);
    console.log(`Wrote ${file}`);
  }
}

function readDocument(file) {
  const place = path.join(root, file);
  return existsSync(place) ? readFileSync(place, 'utf8') : undefined;
}

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from './test-stores';

/** The first shell block of each section of a document, without its indentation, by the section's heading. */
export function readShellBlocks(file: string): Map<string, string> {
  const text = readFileSync(path.join(repositoryRoot, file), 'utf8');
  const sections = text.split(/^## /m).map((section): [string, string] => {
    const [, indent = '', block = 'exit 1'] = /^( *)```sh\n([\s\S]*?)^ *```$/m.exec(section) ?? [];
    const [heading = ''] = section.split('\n');
    return [heading, block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')];
  });
  return new Map(sections);
}

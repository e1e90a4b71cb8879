import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readImportGraph } from './import-graph';

let root: string;

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'belfry-graph-'));
  mkdirSync(path.join(root, 'apps'));
  const folder = path.join(root, 'packages', 'shared', 'src');
  mkdirSync(path.join(folder, 'more', 'server'), { recursive: true });
  const files = {
    'index.ts': "export { a, b } from './parts';",
    'parts.ts': 'export const a = 1;\nexport const b = c();\nfunction c() { return 2; }',
    'parts.test.ts': "import { a, b } from './parts';\ntest('', () => [a, b]);",
    'far.ts': "import { b } from '@belfry/shared';\nexport const far = b;",
    'far.int.test.ts': "import * as all from './far';\ntest('', () => all);",
    'also.test.ts': "import { a } from './parts';\ntest('', () => a);",
    'only-a.test.ts': "import { a } from '@belfry/shared';\ntest('', () => a);",
    'killed.fault.test.ts': "import { b } from './parts';\ntest('', () => b);",
    // Also the name of a file in a folder further away.
    'user-parts.ts': 'export const named = 1;',
    'beside.test.ts': "import { named } from './user-parts';\ntest('', () => named);",
    'more/server/user-parts.int.test.ts':
      "import * as all from '../../user-parts';\ntest('', () => all);",
    'types.test.ts': "import type { b } from './parts';\ntest('', () => {});",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('finds the tests that use a declaration, adjacent ones first, without following other exports of a package', () => {
  const graph = readImportGraph(root);
  const at = (line: number) => 'export const a = 1;\nexport const b = c();\n'.length * line;
  const find = (place: number) =>
    graph.findTests('packages/shared/src/parts.ts', place).map((file) => path.basename(file));
  expect(find(at(0))).toEqual(['parts.test.ts', 'also.test.ts', 'only-a.test.ts']);
  expect(find(at(1))).toEqual(['parts.test.ts', 'far.int.test.ts']);
  const named = graph.findTests('packages/shared/src/user-parts.ts', 0);
  expect(named.map((file) => path.basename(file))).toEqual([
    'user-parts.int.test.ts',
    'beside.test.ts',
  ]);
});

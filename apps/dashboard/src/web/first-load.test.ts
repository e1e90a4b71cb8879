import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const staticImport = /^(?:import|export)\s+(?!type\b)(?:[^'"]*?from\s+)?['"]([^'"]+)['"]/gm;

/** Packages that a module and its static imports load. Dynamic imports are loaded later. */
function listPackages(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const targets = [...readFileSync(file, 'utf8').matchAll(staticImport)].map(
    ([, target]) => target,
  );
  return targets.flatMap((target = '') => {
    if (!target.startsWith('.')) return [target];
    const at = path.join(path.dirname(file), target);
    const source = ['.ts', '.tsx'].map((end) => at + end).find((each) => existsSync(each));
    return source ? listPackages(source, seen) : [];
  });
}

test('the first load, which shows the log, has no form library and no code editor', () => {
  const packages = listPackages(path.join(__dirname, 'main.tsx'));
  expect(packages).toContain('react-router');
  expect(packages).toContain('@tanstack/react-virtual');
  const late = packages.filter((name) => /hook-form|codemirror|lezer/.test(name));
  expect(late).toEqual([]);
});

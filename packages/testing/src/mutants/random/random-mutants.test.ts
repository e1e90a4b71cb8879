import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../../test-stores';
import { equivalents } from './equivalents';
import type { Kind } from './mutation';
import { findMutants, shuffleMutants, trimLines } from './random-mutants';

/** The lines that mutants of a kind make from a text. */
function mutate(kind: Kind, text: string): string[] {
  return findMutants('a.ts', text)
    .filter((mutant) => mutant.kind === kind)
    .map(({ after }) => after);
}

const sql = (text: string) => `query(\`SELECT FROM t ${text}\`)`;
const withoutFrame = (lines: string[]) =>
  lines.map((line) => line.replace('query(`SELECT FROM t ', '').replace('`)', ''));

describe('a mutator of TypeScript', () => {
  test.each<[Kind, string, string[]]>([
    ['dropped condition', 'f(a && b);', ['f(a);', 'f(b);']],
    ['dropped condition', 'if (a) f();', ['if (false) f();']],
    ['dropped condition', 'if (a) b(); else c();', []],
    ['dropped condition', 'f(a ? b : c);', ['f(b);', 'f(c);']],
    ['swapped operator', 'f(a === b);', ['f(a !== b);']],
    ['swapped operator', 'f(!a);', ['f(a);']],
    ['swapped operator', 'list.some(f);', ['list.every(f);']],
    ['swapped operator', "f('a' + b);", []],
    ['off by one', 'f(a < b);', ['f(a <= b);']],
    ['off by one', 'f(a + 1);', ['f(a);', 'f(a + 2);']],
    ['dropped await', 'await f();', ['f();']],
    ['dropped await', 'async () => { return await f(); }', []],
    [
      'dropped await',
      'async () => { try { return await f(); } catch { g(); } }',
      ['async () => { try { return f(); } catch { g(); } }'],
    ],
    ['swapped arguments', 'f(a, b);', ['f(b, a);']],
    ['swapped arguments', 'Math.min(a, b); f(a, () => b);', []],
    ['changed constant or unit', 'const waitMs = 30_000;', ['const waitMs = 30;']],
    [
      'changed constant or unit',
      'const waitMs = 5 * 1_000;',
      ['const waitMs = 50 * 1_000;', 'const waitMs = 5 * 1;'],
    ],
    ['changed constant or unit', 'f(true);', ['f(false);']],
    ['changed constant or unit', 'f(Buffer.byteLength(a));', ['f(a.length);']],
    ['swallowed error', 'try { f(); } catch (e) { g(e); }', ['try { f(); } catch (e) {}']],
    ['swallowed error', 'if (a) throw b;', ['if (a) ;']],
    ['swallowed error', 'f().catch(g);', ['f().catch(() => undefined);']],
    [
      'dropped tenant condition',
      'find({ where: { id, appId: b } });',
      ['find({ where: { id, ...{} } });'],
    ],
    [
      'dropped tenant condition',
      'find({ where: { id, accountId } });',
      ['find({ where: { id, ...{} } });'],
    ],
    ['dropped tenant condition', 'create({ data: { id, appId } });', []],
  ])('%s: %s', (kind, text, lines) => {
    expect(mutate(kind, text)).toEqual(lines);
  });

  test('does not change types', () => {
    expect(findMutants('a.ts', 'type A = { b: 1 | 2 }; let c: Array<3> = d as 4;')).toEqual([]);
  });

  test('uses the right position after multi-byte characters', () => {
    expect(mutate('off by one', "f('ä€'); g(a < b);")).toEqual(["f('ä€'); g(a <= b);"]);
  });
});

describe('a mutator of SQL', () => {
  test.each<[Kind, string, string[]]>([
    [
      'dropped tenant condition',
      'WHERE app_id = $1 AND id = $2',
      ['WHERE (app_id = $1 OR true) AND id = $2'],
    ],
    ['dropped tenant condition', 'JOIN u USING (app_id, id)', ['JOIN u USING (id)']],
    [
      'SQL: dropped condition',
      'WHERE (a = 1 OR b) AND c BETWEEN 1 AND 2',
      [
        'WHERE ((a = 1 OR b) OR true) AND c BETWEEN 1 AND 2',
        'WHERE ((a = 1 AND false) OR b) AND c BETWEEN 1 AND 2',
        'WHERE (a = 1 OR (b AND false)) AND c BETWEEN 1 AND 2',
        'WHERE (a = 1 OR b) AND (c BETWEEN 1 AND 2 OR true)',
      ],
    ],
    [
      'SQL: dropped condition',
      "ORDER BY CASE WHEN a <> 'b' THEN 1 END",
      ["ORDER BY CASE WHEN (a <> 'b' OR true) THEN 1 END"],
    ],
    [
      'SQL: dropped condition',
      'WHERE a = 1 -- AND c\nAND b = 2',
      ['WHERE (a = 1 OR true) -- AND c', 'AND (b = 2 OR true)'],
    ],
    [
      'SQL: swapped operator',
      'WHERE a = 1 AND b IS NOT NULL',
      [
        'WHERE a <> 1 AND b IS NOT NULL',
        'WHERE a = 1 AND b IS NULL',
        'WHERE a = 1 OR b IS NOT NULL',
      ],
    ],
    [
      'SQL: swapped operator',
      'WHERE a < now() - b',
      ['WHERE a <= now() - b', 'WHERE a < now() + b'],
    ],
    [
      'SQL: order, limit or choice',
      'ORDER BY a, b DESC',
      ['ORDER BY a DESC, b DESC', 'ORDER BY b DESC', 'ORDER BY a, b ASC'],
    ],
    ['SQL: order, limit or choice', 'WHERE least(a, b)', ['WHERE greatest(a, b)']],
    ['SQL: order, limit or choice', 'WHERE coalesce(f(a, b), 0)', ['WHERE coalesce(0, f(a, b))']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is the source of a template literal
    ['off by one', 'LIMIT ${most}', ['LIMIT ${most} + 1']],
    ['changed constant or unit', "WHERE a > interval '1 ms'", ["WHERE a > interval '1 second'"]],
  ])('%s: %s', (kind, text, lines) => {
    expect(withoutFrame(mutate(kind, sql(text))).sort()).toEqual([...lines].sort());
  });

  test('drops a condition that is interpolated into a statement of the same file', () => {
    const text = `${sql('WHERE x')}; const mine = 'app_id = $1 AND id = $2';`;
    expect(mutate('dropped tenant condition', text)).toEqual([
      `${sql('WHERE x')}; const mine = '(app_id = $1 OR true) AND id = $2';`,
    ]);
  });
});

describe('random mutants', () => {
  const text = Array.from({ length: 20 }, (_, at) => `f${at}(a < b); if (a) g${at}();`).join('\n');
  const mutants = findMutants('a.ts', text);
  const order = (seed: number) => shuffleMutants(mutants, seed).map(({ id }) => id);

  test('come in the same order for the same seed, and in another order for another', () => {
    expect(order(7)).toEqual(order(7));
    expect(order(8)).not.toEqual(order(7));
    expect([...order(8)].sort()).toEqual([...order(7)].sort());
  });

  test('alternate between the kinds', () => {
    const kinds = shuffleMutants(mutants, 7).map(({ kind }) => kind);
    expect(kinds.slice(0, 4)).toEqual([
      'dropped condition',
      'off by one',
      'dropped condition',
      'off by one',
    ]);
  });
});

describe('an equivalent mutant', () => {
  test('is listed for code that still exists', () => {
    const obsoleteEquivalents = equivalents.filter(({ file, before, after }) => {
      const mutants = findMutants(file, readFileSync(path.join(repositoryRoot, file), 'utf8'));
      return !mutants.some((mutant) => mutant.before === before && mutant.after === after);
    });
    expect(obsoleteEquivalents).toEqual([]);
  });

  test('is compared without its indentation', () => {
    expect(trimLines('  a\n    b\n')).toBe('a\nb');
  });
});

import type { Line } from './bench-context';
import type { BenchReport } from './run-bench';

/** A run as text for the terminal. */
export function benchTableOf(report: BenchReport): string {
  const { machine, accept, bulk, delivery, system, scale, latency, costs, limits } = report;
  const headlines = Object.entries(report).filter(([, value]) => typeof value === 'number');
  return [
    `Node ${machine.node}, PostgreSQL ${machine.postgres}, Redis ${machine.redis}`,
    section(
      'The figures of the gate',
      headlines.map(([name, value]) => `${name}: ${value}`),
    ),
    section(`Accepting, ${accept?.connections} connections`, rowsOf(accept?.lines)),
    section('Ratios, round by round', fieldsOf(accept?.ratios)),
    section('Other numbers of connections', rowsOf(accept?.otherConnections)),
    section('Bulk of 1,000', [...rowsOf(bulk?.lines), ...fieldsOf(bulk?.ratios)]),
    section('Delivery', [...rowsOf(delivery?.lines), ...fieldsOf(delivery?.ratios)]),
    section('The whole system', [...rowsOf(system?.lines), ...fieldsOf(system?.memoryMb)]),
    section('Latency', fieldsOf(latency)),
    section('In the stores', fieldsOf(costs)),
    section('Limits', fieldsOf(limits)),
    section('More of it', rowsOf(scale)),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function section(title: string, rows: string[]): string {
  return rows.length === 0 ? '' : [title, ...rows.map((row) => `  ${row}`)].join('\n');
}

const nameCharacters = 52;

function rowsOf(lines: Line[] = []): string[] {
  return lines.map(({ line, ...figures }) => {
    const shown = Object.entries(figures).map(([name, spread]) =>
      typeof spread === 'string' ? '' : `${name} ${spread.median} (${spread.least}-${spread.most})`,
    );
    return `${line.padEnd(nameCharacters)} ${shown.join('  ')}`;
  });
}

function fieldsOf(values: object = {}): string[] {
  return Object.entries(values).map(
    ([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
}

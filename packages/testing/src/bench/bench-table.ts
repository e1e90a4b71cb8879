import type { BenchLine } from './bench-context';
import type { BenchReport } from './run-bench';

/** A run as text for the terminal. */
export function formatBenchTable(report: BenchReport): string {
  const { machine, accept, bulk, delivery, system, stored, latency, costs, limits } = report;
  const { scale, pooler, retention, page, pages, streams, idle } = report;
  const headlines = Object.entries(report).filter(([, value]) => typeof value === 'number');
  return [
    `Node ${machine.node}, PostgreSQL ${machine.postgres}, Redis ${machine.redis}`,
    section(
      'Budget figures',
      headlines.map(([name, value]) => `${name}: ${value}`),
    ),
    section(`Accepting, ${accept?.connections} connections`, formatRows(accept?.lines)),
    section('Ratios, round by round', formatFields(accept?.ratios)),
    section('Other numbers of connections', formatRows(accept?.otherConnections)),
    section('Bulk of 1,000', [...formatRows(bulk?.lines), ...formatFields(bulk?.ratios)]),
    section('Delivery', [...formatRows(delivery?.lines), ...formatFields(delivery?.ratios)]),
    section('The whole system', [...formatRows(system?.lines), ...formatFields(system?.memoryMb)]),
    section('Latency', formatFields(latency)),
    section('Cost in the stores', formatFields(costs)),
    section('Limits', formatFields(limits)),
    section('Stored messages', formatRows(stored)),
    section('Scale', formatRows(scale?.lines)),
    section('CPU of 4 pairs, relative to 1', scale ? [String(scale.cpuRatio)] : []),
    section('Through a pooler', [...formatRows(pooler?.lines), ...formatFields(pooler?.ratios)]),
    section('Retention beside a live load', formatFields(retention)),
    section('The log in a browser', formatRows(page)),
    section(`Pages at ${pages?.messages} messages`, formatFields(pages?.pages)),
    section('Inbox streams of one gateway', formatFields(streams)),
    section('At rest', [...formatFields(idle?.processes), ...formatFields(idle?.secondStart)]),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function section(title: string, rows: string[]): string {
  return rows.length === 0 ? '' : [title, ...rows.map((row) => `  ${row}`)].join('\n');
}

const nameCharacters = 52;

function formatRows(lines: BenchLine[] = []): string[] {
  return lines.map(({ line, ...figures }) => {
    const cells = Object.entries(figures).map(([name, spread]) =>
      typeof spread === 'string' ? '' : `${name} ${spread.median} (${spread.least}-${spread.most})`,
    );
    return `${line.padEnd(nameCharacters)} ${cells.join('  ')}`;
  });
}

function formatFields(values: object = {}): string[] {
  return Object.entries(values).map(
    ([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
}

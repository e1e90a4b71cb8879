import type { AnyChannel } from '@belfry/channels';
import type { ExportedSuppression, SuppressionFiles, Suppressions } from '@belfry/database';
import { formatSuppressedSender, isUuid } from '@belfry/shared';
import { toCsvLine } from '../csv';
import { createCsvExports } from '../csv-export';
import { invalid, notFound, Refusal } from '../problem';
import { type Handlers, readId } from '../route';
import { readSuppressionFile, suppressionColumns } from '../suppression-file';
import { canonicalizeAddress, toSuppressionRow } from '../user-page';

export type SuppressionHandlersDeps = {
  channels: Record<string, AnyChannel>;
  suppressions: Suppressions;
  suppressionFiles: SuppressionFiles;
  now: () => Date;
};

/** Suppressions of an app, one by one and as a file. */
export function createSuppressionHandlers(deps: SuppressionHandlersDeps) {
  return { ...createRowHandlers(deps), ...createFileHandlers(deps) };
}

function createFileHandlers({ channels, suppressionFiles, now }: SuppressionHandlersDeps) {
  const sendCsv = createCsvExports({});
  return {
    async 'GET /api/apps/:appId/suppressions.csv'(call) {
      const { text = '' } = call.query;
      await sendCsv(call, {
        name: 'belfry-suppressions.csv',
        columns: suppressionColumns,
        listPages: () => suppressionFiles.walk(call.app.id, text),
        toLines,
      });
      return undefined;
    },

    async 'POST /api/apps/:appId/suppressions/import/check'({ app, body }) {
      const rows = await readSuppressionFile(body.csv, { channels, app, now: now() });
      return suppressionFiles.count(app.id, rows);
    },

    async 'POST /api/apps/:appId/suppressions/import'({ app, actor, body }) {
      const rows = await readSuppressionFile(body.csv, { channels, app, now: now() });
      return suppressionFiles.importAll({ ...actor, appId: app.id }, rows);
    },
  } satisfies Partial<Handlers>;
}

function toLines(rows: readonly ExportedSuppression[]): string {
  return rows
    .map(({ createdAt, ...row }) => ({ ...row, created_at: createdAt.toISOString() }))
    .map((row) => toCsvLine(suppressionColumns.map((name) => row[name])))
    .join('');
}

function createRowHandlers({ channels, suppressions }: SuppressionHandlersDeps) {
  return {
    async 'GET /api/apps/:appId/suppressions'({ app, query: { text = '', after } }) {
      const from = after !== undefined && isUuid(after) ? after : undefined;
      const { rows, next } = await suppressions.list(app.id, text, from);
      return { suppressions: rows.map(toSuppressionRow), next };
    },

    async 'POST /api/apps/:appId/suppressions'({ app, actor, body }) {
      const { channel: name, address: typedAddress, detail } = body;
      const channel = Object.hasOwn(channels, name) ? channels[name] : undefined;
      if (!channel) throw invalid([{ path: 'channel', problem: 'is not a known channel' }]);
      const result = canonicalizeAddress(typedAddress.trim(), channel, { channels, app });
      if ('problem' in result) throw invalid([{ path: 'address', problem: result.problem }]);
      const { address } = result;
      const suppression = { channel: name, address, detail: detail.trim() };
      const id = await suppressions.add(actor, app.id, suppression);
      if (id === undefined) throw alreadySuppressed();
      const rows = await suppressions.listForAddresses(app.id, [{ channel: name, address }]);
      const row = rows.find((one) => one.id === id);
      if (!row) throw notFound('suppression');
      return toSuppressionRow(row);
    },

    async 'DELETE /api/apps/:appId/suppressions/:id'({ app, actor, path }) {
      const id = readId(path.id, 'suppression');
      if (!(await suppressions.remove(actor, app.id, id))) throw notFound('suppression');
      return { success: true };
    },
  } satisfies Partial<Handlers>;
}

function alreadySuppressed(): Refusal {
  const text = `This address is already suppressed for ${formatSuppressedSender(null)}.`;
  return new Refusal('name_taken', text, {
    fields: [{ path: 'address', problem: 'is already suppressed' }],
  });
}

import { useState } from 'react';
import type { ItemFilters } from '../../api/request-items';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { Button } from '../parts/controls';

type Props = {
  requestId: string;
  filters: ItemFilters;
  onProblem: (problem: PageProblem | undefined) => void;
};

/** Saves the matching items as a CSV file. A link could not say why there is no file. */
export function ExportButton({ requestId, filters, onProblem }: Props) {
  const app = useApp();
  const { api } = useServices();
  const [isExporting, setIsExporting] = useState(false);
  async function exportItems() {
    setIsExporting(true);
    onProblem(undefined);
    const input = { appId: app.id, requestId, query: filters };
    const file = await api.download('GET /api/apps/:appId/requests/:requestId/items.csv', input);
    setIsExporting(false);
    if ('problem' in file) onProblem(file.problem);
    else saveFile(file.value, `belfry-${requestId}.csv`);
  }
  return (
    <Button look="small" disabled={isExporting} onClick={() => void exportItems()}>
      {isExporting ? 'Exporting…' : 'Export CSV (times in UTC)'}
    </Button>
  );
}

/** The browser reads the file within this time. */
const savedWithinMs = 60_000;

function saveFile(file: Blob, name: string): void {
  const href = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), savedWithinMs);
}

import { useState } from 'react';
import type { PageProblem, Result } from '../api';
import { Button } from './controls';

type Props = {
  /** Name of the saved file. */
  name: string;
  read: () => Promise<Result<Blob>>;
  onProblem: (problem: PageProblem | undefined) => void;
};

/** Saves a CSV file of the server. A link could not say why there is no file. */
export function ExportButton({ name, read, onProblem }: Props) {
  const [isExporting, setIsExporting] = useState(false);
  async function exportFile() {
    setIsExporting(true);
    onProblem(undefined);
    const file = await read();
    setIsExporting(false);
    if ('problem' in file) onProblem(file.problem);
    else saveFile(file.value, name);
  }
  return (
    <Button look="small" disabled={isExporting} onClick={() => void exportFile()}>
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

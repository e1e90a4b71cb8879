import { type ChangeEvent, useState } from 'react';
import { type ImportCountsAnswer, maxImportedRows } from '../../api/suppressions';
import type { Result } from '../api';
import { useApp, useServices } from '../context';
import { count, plural } from '../format';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Field } from '../parts/field';
import { NoteBox } from '../parts/notes';

type Step =
  | { name: 'choose'; problem?: string }
  | { name: 'checking' | 'importing' }
  | { name: 'checked'; csv: string; counts: ImportCountsAnswer };

/** Reads a file, shows what an import would change, and imports it. */
export function ImportDialog({
  onClose,
  onDone,
}: {
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const { step, choose, importFile } = useImport(async () => {
    onClose();
    await onDone();
  });
  const isBusy = step.name === 'checking' || step.name === 'importing';
  const counts = step.name === 'checked' ? step.counts : undefined;
  const changes = counts ? counts.added + counts.widened : 0;
  return (
    <Dialog title="Import suppressions" onClose={onClose}>
      <div className="form">
        <p>
          A CSV file with the columns <code>channel</code> and <code>address</code>, and optionally{' '}
          <code>sender</code>, <code>scope</code>, <code>reason</code>, <code>source</code>,{' '}
          <code>detail</code> and <code>created_at</code>, such as an export.
        </p>
        <Field
          label="CSV file"
          type="file"
          accept=".csv,text/csv"
          disabled={isBusy}
          hint={`At most ${count(maxImportedRows)} rows and 1 MB, in UTF-8.`}
          onClick={({ currentTarget }) => {
            // Browsers report no change if the same file is chosen again, after it was corrected.
            if (step.name === 'choose') currentTarget.value = '';
          }}
          onChange={(event: ChangeEvent<HTMLInputElement>) => void choose(event.target.files?.[0])}
        />
        <div aria-live="polite">
          {step.name === 'choose' && step.problem && (
            <NoteBox tone="red" title="The file cannot be imported">
              {step.problem}
            </NoteBox>
          )}
          {isBusy && (step.name === 'checking' ? 'Checking the file…' : 'Importing…')}
          {counts && <ImportCounts counts={counts} />}
        </div>
        <div className="dialog-foot">
          <Button
            look="main-action"
            disabled={changes === 0}
            onClick={() => step.name === 'checked' && void importFile(step.csv)}
          >
            {changes === 0 ? 'Import' : `Import ${plural(changes, 'address', 'addresses')}`}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}

function ImportCounts({ counts: { added, widened, unchanged } }: { counts: ImportCountsAnswer }) {
  return (
    <NoteBox tone="plain" title={added + widened === 0 ? 'Nothing to import' : 'This import would'}>
      {[
        added > 0 && `suppress ${plural(added, 'more address', 'more addresses')}`,
        widened > 0 &&
          `suppress ${plural(widened, 'address', 'addresses')} for all messages instead of optional events`,
        unchanged > 0 &&
          (added + widened === 0
            ? `${plural(unchanged, 'address is', 'addresses are')} already suppressed`
            : `leave ${plural(unchanged, 'address', 'addresses')} unchanged`),
      ]
        .filter(Boolean)
        .join('; ')}
      .
    </NoteBox>
  );
}

function useImport(onDone: () => Promise<void>) {
  const app = useApp();
  const { api } = useServices();
  const [step, setStep] = useState<Step>({ name: 'choose' });

  /** The answer, unless there is a problem. */
  function take<T>(answer: Result<T>): T | undefined {
    if ('value' in answer) return answer.value;
    setStep({ name: 'choose', problem: answer.problem.error });
    return undefined;
  }

  async function choose(file: File | undefined) {
    if (!file) return setStep({ name: 'choose' });
    const text = await readText(file);
    if ('problem' in text) return setStep({ name: 'choose', ...text });
    setStep({ name: 'checking' });
    const { csv } = text;
    const route = 'POST /api/apps/:appId/suppressions/import/check';
    const counts = take(await api.call(route, { appId: app.id, body: { csv } }));
    if (counts) setStep({ name: 'checked', csv, counts });
  }

  async function importFile(csv: string) {
    setStep({ name: 'importing' });
    const route = 'POST /api/apps/:appId/suppressions/import';
    if (take(await api.call(route, { appId: app.id, body: { csv } }))) await onDone();
  }

  return { step, choose, importFile };
}

const maxFileBytes = 1_000_000;

async function readText(file: File): Promise<{ csv: string } | { problem: string }> {
  if (file.size > maxFileBytes) {
    return { problem: 'The file has more than 1 MB. Split it into several files.' };
  }
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    return { csv: decoder.decode(await file.arrayBuffer()) };
  } catch {
    return { problem: 'The file is not UTF-8. Save it as “CSV UTF-8”.' };
  }
}

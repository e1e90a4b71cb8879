import type { KeyRow } from '../../api/keys';
import { useServices } from '../context';
import { NameDialog } from '../parts/name-dialog';

export const keyNameHint = 'The program that uses the key, such as “Shop backend”.';

export function RenameKeyDialog({
  renamed,
  onClose,
  onChanged,
}: {
  renamed: KeyRow;
  onClose: () => void;
  onChanged: () => Promise<void>;
}) {
  const { api } = useServices();
  return (
    <NameDialog
      title={`Rename key ${renamed.name ?? renamed.hint}`}
      initial={renamed.name ?? ''}
      action={() => 'Rename'}
      hint={keyNameHint}
      maxLength={128}
      onClose={onClose}
      send={(name) => api.call('PATCH /api/keys/:id', { id: renamed.id, body: { name } })}
      onDone={async () => {
        await onChanged();
        onClose();
      }}
    />
  );
}

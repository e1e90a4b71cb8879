import { useState } from 'react';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { ProblemNote } from '../parts/notes';

export function DeleteDialog({
  onClose,
  onDeleted,
}: {
  onClose: () => void;
  onDeleted: () => void;
}) {
  const app = useApp();
  const { api } = useServices();
  const [problem, setProblem] = useState<PageProblem>();
  async function remove() {
    const answer = await api.call('DELETE /api/apps/:appId/captures', {
      appId: app.id,
      body: { confirm: true },
    });
    if ('problem' in answer) return setProblem(answer.problem);
    onDeleted();
    onClose();
  }
  return (
    <Dialog title="Delete all captures" onClose={onClose}>
      <p>
        Every capture of {app.name} is deleted, including its rendered content in the log. Requests
        and states are kept.
      </p>
      <ProblemNote problem={problem} />
      <div className="dialog-foot">
        <Button look="danger" onClick={() => void remove()}>
          Delete all captures
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}

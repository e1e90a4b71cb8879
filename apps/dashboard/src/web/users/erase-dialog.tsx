import { type FormEvent, useState } from 'react';
import type { UserAnswer } from '../../api/users';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Field } from '../parts/field';
import { ProblemNote } from '../parts/notes';
import { buildPath } from '../route';

export function EraseDialog({ user, onClose }: { user: UserAnswer; onClose: () => void }) {
  const app = useApp();
  const { api, navigation } = useServices();
  const [typed, setTyped] = useState('');
  const [isErasing, setErasing] = useState(false);
  const [problem, setProblem] = useState<PageProblem>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    setErasing(true);
    const answer = await api.call('DELETE /api/apps/:appId/users/:userSid', {
      appId: app.id,
      userSid: user.sid,
      body: { confirmUserId: typed },
    });
    setErasing(false);
    if ('problem' in answer) return setProblem(answer.problem);
    onClose();
    navigation.go(buildPath(app.id, 'users'), { search: 'list=erased' });
  }
  return (
    <Dialog title={`Erase ${user.userId}`} onClose={onClose}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <ul className="plain-list">
          <li>
            The user, their devices and their inbox are deleted at once. Waiting messages are
            skipped.
          </li>
          <li>
            Every message that names the user, or went to an address only they have, loses its
            address, data and content. States and counts are kept.
          </li>
          <li>
            A message that is being sent cannot be stopped. It is not retried, and is erased within
            minutes.
          </li>
          <li>Suppressions are kept, so that these addresses get no more messages.</li>
        </ul>
        <p>
          This cannot be undone. Enter <code>{user.userId}</code> to confirm.
        </p>
        <ProblemNote problem={problem} />
        <Field
          label="User ID"
          isMono
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="dialog-foot">
          <Button look="danger" type="submit" disabled={typed !== user.userId || isErasing}>
            {isErasing ? 'Erasing…' : 'Erase user'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

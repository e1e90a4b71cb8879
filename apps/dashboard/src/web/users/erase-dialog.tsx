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
  const { api, places } = useServices();
  const [typed, setTyped] = useState('');
  const [isErasing, setErasing] = useState(false);
  const [problem, setProblem] = useState<PageProblem>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    setErasing(true);
    const answer = await api.eraseUser(app.id, user.sid, typed);
    setErasing(false);
    if ('problem' in answer) return setProblem(answer.problem);
    onClose();
    places.go(buildPath(app.id, 'users'), { search: 'list=erased' });
  }
  return (
    <Dialog title={`Erase ${user.userId}`} onClose={onClose}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <ul className="plain-list">
          <li>The user, their devices and their inbox go at once. What waits is skipped.</li>
          <li>
            Every message that named them, or went to an address of theirs alone, loses its address,
            data and content. States and counts stay.
          </li>
          <li>
            What is being sent at this moment cannot be called back: it is not tried again, and is
            erased within minutes.
          </li>
          <li>Suppressions stay, so that nobody writes to them again.</li>
        </ul>
        <p>
          It cannot be undone. Type <code>{user.userId}</code> to go on.
        </p>
        <ProblemNote problem={problem} />
        <Field
          label="User id"
          isMono
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="dialog-foot">
          <Button look="danger" type="submit" disabled={typed !== user.userId || isErasing}>
            {isErasing ? 'Erasing' : 'Erase the user'}
          </Button>
          <Button onClick={onClose}>Keep them</Button>
        </div>
      </form>
    </Dialog>
  );
}

import { useNavigate } from 'react-router';
import type { UserAnswer } from '../../api/users';
import { useApp, useServices } from '../context';
import { ConfirmNameDialog } from '../parts/confirm-name-dialog';
import { buildPath } from '../route';
import styles from './users.module.css';

export function EraseDialog({ user, onClose }: { user: UserAnswer; onClose: () => void }) {
  const app = useApp();
  const { api } = useServices();
  const navigate = useNavigate();
  return (
    <ConfirmNameDialog
      title={`Erase ${user.userId}`}
      label="User ID"
      name={user.userId}
      action="Erase user"
      send={(confirmUserId) =>
        api.call('DELETE /api/apps/:appId/users/:userSid', {
          appId: app.id,
          userSid: user.sid,
          body: { confirmUserId },
        })
      }
      onDone={() => {
        onClose();
        void navigate({ pathname: buildPath(app.id, 'users'), search: 'list=erased' });
      }}
      onClose={onClose}
    >
      <ul className={styles.effects}>
        <li>
          The user, their devices and their inbox are deleted at once. Waiting messages are skipped.
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
    </ConfirmNameDialog>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { queryKey } from '../answers';
import { useServices } from '../context';
import { useLeaveBy } from '../parts/leave-guards';

const sessionKey = queryKey('GET /api/session', undefined);

/** Signs out once the page loses no input by it. */
export function useSignOut(): () => void {
  const { api } = useServices();
  const client = useQueryClient();
  const leaveBy = useLeaveBy();
  async function signOut() {
    await api.call('DELETE /api/session');
    // The open page observes the session, so it is reset and read again. Everything else is forgotten.
    const reading = client.resetQueries({ queryKey: sessionKey });
    client.removeQueries({ predicate: ({ queryKey: [route] }) => route !== sessionKey[0] });
    await reading;
  }
  return () => leaveBy(() => void signOut());
}

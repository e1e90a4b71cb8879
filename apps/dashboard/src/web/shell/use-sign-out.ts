import { useQueryClient } from '@tanstack/react-query';
import { queryKey } from '../answers';
import { useServices } from '../context';

const sessionKey = queryKey('GET /api/session', undefined);

export function useSignOut(): () => Promise<void> {
  const { api } = useServices();
  const client = useQueryClient();
  return async function signOut() {
    await api.call('DELETE /api/session');
    // The open page observes the session, so it is reset and read again. Everything else is forgotten.
    const reading = client.resetQueries({ queryKey: sessionKey });
    client.removeQueries({ predicate: ({ queryKey: [route] }) => route !== sessionKey[0] });
    await reading;
  };
}

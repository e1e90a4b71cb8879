import { useServices } from '../context';

export function useSignOut(): () => Promise<void> {
  const { api, answers } = useServices();
  return async function signOut() {
    await api.signOut();
    answers.forgetAll();
    await answers.load('session', () => api.readSession());
  };
}

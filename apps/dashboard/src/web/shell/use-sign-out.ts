import { useTools } from '../context';

export function useSignOut(): () => Promise<void> {
  const { api, answers } = useTools();
  return async function signOut() {
    await api.signOut();
    answers.forgetAll();
    await answers.load('session', () => api.readSession());
  };
}

import { useLocation, useNavigate } from 'react-router';
import { oneOfTexts, readParams } from '../link-params';

const rules = { tab: oneOfTexts(['settings'], 'an unknown tab') };

/** The open tab of an endpoint. It is in the URL, so that a link can show the settings. */
export function useTab(): [tab: string, setTab: (tab: string) => void] {
  const { search, pathname } = useLocation();
  const navigate = useNavigate();
  const { tab = 'deliveries' } = readParams(search, rules).values;
  const setTab = (next: string) =>
    void navigate(
      { pathname, search: next === 'deliveries' ? '' : `tab=${next}` },
      { replace: true },
    );
  return [tab, setTab];
}

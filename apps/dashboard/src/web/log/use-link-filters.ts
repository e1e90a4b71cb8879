import { useAnswer } from '../answers';
import { useApp } from '../context';
import { describeIgnored } from '../link-params';
import { type PageFilters, readFilterParams } from './filters';

/** The filters of a link that the log can use, and what was ignored in it. */
export function useLinkFilters(search: string): { filters: PageFilters; ignored: string[] } {
  const app = useApp();
  const { filters, ignored } = readFilterParams(search);
  const { integration, ...others } = filters;
  const isEnabled = integration !== undefined;
  const list = useAnswer('GET /api/apps/:appId/integrations', { appId: app.id }, { isEnabled });
  const isUnknown = isEnabled && list.value?.integrations.every(({ name }) => name !== integration);
  if (!isUnknown) return { filters, ignored };
  return { filters: others, ignored: [...ignored, describeIgnored('an unknown integration')] };
}

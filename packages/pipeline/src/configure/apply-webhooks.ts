import { isDeepStrictEqual } from 'node:util';
import { type ActorInApp, createWebhookEndpoints, type Queryable } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import type { WebhookEndpoint } from '@belfry/shared';
import { fileNames } from './format-files';
import { FileProblems } from './read-file';
import type { ResolvedWebhook } from './resolve-references';

export type WebhooksPlan = {
  stored: { webhooks: readonly WebhookEndpoint[] };
  webhooks: readonly ResolvedWebhook[];
};

/** An endpoint with the same URL is changed, so that its signing secret stays. A new one gets a new secret. */
export async function applyWebhooks(
  client: Queryable,
  { actor, secrets }: { actor: ActorInApp; secrets: Secrets },
  { stored, webhooks }: WebhooksPlan,
): Promise<void> {
  const endpoints = createWebhookEndpoints({ pool: client, secrets });
  const { pairs, news, left } = pairWebhooks(stored.webhooks, webhooks);
  for (const { id } of left) await endpoints.remove(client, actor, id);
  for (const { row, webhook } of pairs) {
    const { types, description, enabled } = webhook;
    if (isDeepStrictEqual(toComparable(webhook), toComparable({ ...row, enabled: isOn(row) }))) {
      continue;
    }
    // To enable an endpoint forgets its failures.
    const isSwitched = enabled !== isOn(row);
    const change = { id: row.id, types, description };
    await endpoints.change(client, actor, { ...change, ...(isSwitched && { isEnabled: enabled }) });
  }
  for (const { url = '', enabled, types, description } of news) {
    const created = await endpoints.create(client, actor, { url, types, description });
    if (created === 'full') {
      throw new FileProblems([{ file: fileNames.webhooks, problem: 'has too many endpoints' }]);
    }
    const { id } = created.endpoint;
    if (!enabled) await endpoints.change(client, actor, { id, isEnabled: false });
  }
}

/** Belfry itself disables an endpoint that fails: that is no configuration. */
export function isOn({ disabledReason }: Pick<WebhookEndpoint, 'disabledReason'>): boolean {
  return disabledReason !== 'manual';
}

function toComparable({ types, description, enabled }: Omit<ResolvedWebhook, 'url'>): unknown {
  return { types: [...types].sort(), description, enabled };
}

function pairWebhooks(
  stored: readonly WebhookEndpoint[],
  wanted: readonly ResolvedWebhook[],
): {
  pairs: { row: WebhookEndpoint; webhook: ResolvedWebhook }[];
  news: ResolvedWebhook[];
  left: WebhookEndpoint[];
} {
  const left = [...stored];
  const pairs: { row: WebhookEndpoint; webhook: ResolvedWebhook }[] = [];
  const news = wanted.filter((webhook) => {
    const at = left.findIndex(({ url }) => url === webhook.url);
    const [row] = at < 0 ? [] : left.splice(at, 1);
    if (row) pairs.push({ row, webhook });
    return !row;
  });
  return { pairs, news, left };
}

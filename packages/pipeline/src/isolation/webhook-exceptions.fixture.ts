import type { Exception } from './check-statement.fixture';

export const webhookExceptions: Exception[] = [
  {
    kind: 'ids',
    reason: 'The worker claimed the delivery, or took the bulk to check; no API caller names one',
    statements: [
      'webhooks/complete-requests.sql.ts: DELETE FROM webhook_completion',
      'webhooks/record.sql.ts: UPDATE webhook_endpoint',
      'webhooks/record.sql.ts: WITH delivered',
      'webhooks/record.sql.ts: WITH next',
    ],
  },
  {
    kind: 'presence',
    reason: 'The role webhooks serves every account',
    statements: [
      'webhooks/claim.sql.ts: WITH ready',
      'webhooks/complete-requests.sql.ts: SELECT FROM webhook_completion',
      'webhooks/complete-requests.sql.ts: WITH due',
      'webhooks/read-deliveries.ts: SELECT (SELECT count(*)',
      'webhooks/upkeep.sql.ts: DELETE FROM webhook_delivery',
      'webhooks/upkeep.sql.ts: UPDATE webhook_delivery',
    ],
  },
  {
    kind: 'presence',
    reason: 'Only the command line calls it',
    statements: ['webhooks/read-deliveries.ts: SELECT a.name'],
  },
];

import type { AppIntegrationRow } from '@belfry/database';
import { isCircuitOpen, judgeHealth } from '@belfry/shared';
import type { IntegrationHealthAnswer } from '../api/integrations';

export function toHealthAnswer(row: AppIntegrationRow, now: Date): IntegrationHealthAnswer {
  return {
    verdict: judgeHealth(row, now),
    lastSuccessAt: row.lastSuccessAt?.getTime() ?? null,
    lastFailureAt: row.lastFailureAt?.getTime() ?? null,
    lastError: row.lastError,
    failuresInRow: row.failuresInRow,
    succeeded: row.succeeded,
    failed: row.failed,
    isCircuitOpen: isCircuitOpen(row, now),
    pausedAt: row.pausedAt?.getTime() ?? null,
    pausedBy: row.pausedBy,
  };
}

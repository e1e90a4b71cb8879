/** The current reason why an address gets no message: an entry of the suppression list, or a push token that the provider refused. */
export type CurrentSuppression = {
  /** A key of `suppressionReasons`, or `device_disabled`. */
  reason: string;
  detail: string | null;
  /** The sender that it applies to; empty for every sender. */
  sender: string;
  /** A key of `suppressionSources`; null for a device. */
  source: string | null;
  /** E-mail address of the operator who added it. */
  addedBy: string | null;
  /** ISO 8601, because it is read within JSON. Null for a device. */
  at: string | null;
};

/** SQL expression about a row of `selectEligibility`: the `CurrentSuppression`, or NULL. Each table is read by its key. */
export function selectSuppression(verdict: string): string {
  return `CASE
    WHEN ${verdict}.suppression_id IS NOT NULL THEN (
      SELECT jsonb_build_object('reason', p.reason, 'detail', p.detail, 'sender', p.sender, 'source', p.source,
        'addedBy', o.email, 'at', p.created_at)
      FROM suppression p LEFT JOIN operator o ON o.id = p.created_by
      WHERE p.id = ${verdict}.suppression_id AND p.app_id = ${verdict}.app_id)
    WHEN ${verdict}.device_obstacle = 'suppressed' THEN jsonb_build_object('reason', 'device_disabled',
      'detail', ${verdict}.device_reason, 'sender', '', 'source', NULL, 'addedBy', NULL, 'at', NULL)
  END`;
}

/** In the notes of a message that the caller cancelled. A cancel by an operator is in the audit log. */
export const callerNote = { cancelled_by: 'caller' } as const;

export const cancelledByCaller = 'The caller cancelled it.';

/** Says who cancelled a message; undefined if it was not cancelled. */
export function explainCancel({
  reason,
  notes,
}: {
  reason: string | null;
  notes: Record<string, unknown> | null;
}): string | undefined {
  if (reason !== 'cancelled') return undefined;
  return notes?.['cancelled_by'] === callerNote.cancelled_by
    ? cancelledByCaller
    : 'An operator cancelled it.';
}

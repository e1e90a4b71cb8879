import type { Explanation } from '../../api/requests';
import { convertDates } from '../dates';

export function ExplanationText({ explanation }: { explanation: Explanation | null }) {
  if (!explanation) return null;
  return (
    <p>
      {convertDates(explanation.what)} {explanation.remedy && <b>{explanation.remedy}</b>}
    </p>
  );
}

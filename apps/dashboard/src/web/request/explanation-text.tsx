import type { Explanation } from '../../api/requests';

export function ExplanationText({ explanation }: { explanation: Explanation | null }) {
  if (!explanation) return null;
  return (
    <p>
      {explanation.what} {explanation.remedy && <b className="remedy">{explanation.remedy}</b>}
    </p>
  );
}

import type { Explanation } from '../../api/requests';

export function Explained({ of }: { of: Explanation | null }) {
  if (!of) return null;
  return (
    <p>
      {of.what} {of.remedy && <b className="remedy">{of.remedy}</b>}
    </p>
  );
}

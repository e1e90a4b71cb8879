import { encode } from 'uqr';

/** Modules of white around the code, which scanners need. */
const border = 4;

/** Black on white in both themes, because many scanners read nothing else. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data } = encode(text, { ecc: 'M', border });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${data.length} ${data.length}`}
      width={200}
      height={200}
      shapeRendering="crispEdges"
    >
      <rect width={data.length} height={data.length} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
}

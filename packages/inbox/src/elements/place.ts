type Box = { left: number; right: number; top: number; bottom: number };

const margin = 8;
const listWidth = 400;
const listHeight = 640;
/** With less room below the button, the list opens above it. */
const minRoom = 280;

/** The style of the list beside its button, inside of the window. It ends where the button ends in the direction of the text. */
export function computePlace(
  button: Box,
  window: { width: number; height: number },
  isRtl: boolean,
): string {
  const width = Math.min(listWidth, window.width - 2 * margin);
  const aligned = isRtl ? button.left : button.right - width;
  const left = Math.min(Math.max(aligned, margin), window.width - width - margin);
  const below = window.height - button.bottom - 2 * margin;
  const above = button.top - 2 * margin;
  const isBelow = below >= minRoom || below >= above;
  const place = isBelow
    ? `top:${button.bottom + margin}px`
    : `bottom:${window.height - button.top + margin}px`;
  const height = Math.min(listHeight, isBelow ? below : above);
  return `[popover]{left:${left}px;${place};width:${width}px;max-height:${height}px}`;
}

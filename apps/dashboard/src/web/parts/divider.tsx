import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from 'react';
import styles from './divider.module.css';

const minPx = 240;
/** Minimum width of the other pane. */
const reservedPx = 320;
const stepPx = 16;

type Side = 'first' | 'last';

/** A divider between two panes: drag it or use arrow keys; double-click resets it. The position is remembered. */
export function Divider({
  name,
  side,
  initialPx,
}: {
  name: string;
  /** The pane that it resizes. */
  side: Side;
  initialPx: number;
}) {
  const dividerRef = useRef<HTMLDivElement>(null);
  const [widthPx, setWidthPx] = useState<number | undefined>(() => read(name));
  useLayoutEffect(() => {
    const panes = dividerRef.current?.parentElement;
    if (widthPx === undefined) panes?.style.removeProperty('--divide');
    else panes?.style.setProperty('--divide', `${widthPx}px`);
  }, [widthPx]);

  function move(requestedPx: number): void {
    const availablePx = dividerRef.current?.parentElement?.clientWidth ?? 0;
    const next = Math.round(Math.max(minPx, Math.min(requestedPx, availablePx - reservedPx)));
    setWidthPx(next);
    localStorage.setItem(getStorageKey(name), String(next));
  }
  function follow({ clientX, currentTarget, pointerId }: PointerEvent<HTMLDivElement>): void {
    const panes = currentTarget.parentElement?.getBoundingClientRect();
    if (!panes || !currentTarget.hasPointerCapture(pointerId)) return;
    move(side === 'first' ? clientX - panes.left : panes.right - clientX);
  }
  function step(event: KeyboardEvent): void {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    const grows = side === 'first' ? direction : -direction;
    move((widthPx ?? initialPx) + grows * stepPx);
  }
  function takeBack(): void {
    setWidthPx(undefined);
    localStorage.removeItem(getStorageKey(name));
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a movable separator is not an <hr>.
    <div
      ref={dividerRef}
      className={`${styles.divider} ${styles[side]}`}
      role="separator"
      tabIndex={0}
      aria-label="Pane width"
      aria-orientation="vertical"
      aria-valuemin={minPx}
      aria-valuenow={widthPx ?? initialPx}
      title="Drag or use the arrow keys. Double-click to reset."
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={follow}
      onKeyDown={step}
      onDoubleClick={takeBack}
    />
  );
}

const getStorageKey = (name: string) => `belfry-divide-${name}`;

function read(name: string): number | undefined {
  const px = Number(localStorage.getItem(getStorageKey(name)));
  return Number.isFinite(px) && px >= minPx ? px : undefined;
}

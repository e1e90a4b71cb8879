export const bellStyles = `
:host{display:inline-block;position:relative;background:none}
.bell{display:grid;place-items:center;position:relative;inline-size:36px;block-size:36px}
.badge{position:absolute;inset-block-start:1px;inset-inline-start:19px;min-inline-size:16px;padding-inline:4px;border-radius:8px;background:var(--accent);color:var(--accent-ink);font-size:11px;font-weight:600;line-height:16px;text-align:center;outline:2px solid var(--bg)}
.badge:empty{display:none}
[popover]{position:fixed;inset:auto;margin:0;padding:0;border:1px solid var(--line);border-radius:var(--radius);background:var(--bg);color:inherit;overflow:hidden;box-shadow:0 8px 28px light-dark(rgb(16 30 32/.16),rgb(0 0 0/.56))}
[popover]:popover-open{display:flex}
@media (forced-colors:active){.badge{border:1px solid}}
`;

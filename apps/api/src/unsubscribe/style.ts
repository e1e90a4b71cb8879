import { createHash } from 'node:crypto';

const defaultColor = '#1d4ed8';

/** The style sheet of a page, in a color. */
export function buildStyle(color: string | null): string {
  const background = color ?? defaultColor;
  return `:root{color-scheme:light}
body{margin:0;background:#f4f5f7;color:#1b1f24;font:1rem/1.5 system-ui,sans-serif}
main{box-sizing:border-box;max-width:34rem;margin:2rem auto;padding:1.5rem;background:#fff;border-top:.375rem solid ${background};border-radius:.5rem}
h1{margin:.25rem 0 1rem;font-size:1.5rem;line-height:1.25}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}
dt{color:#57606a}
dd{margin:0;overflow-wrap:anywhere}
fieldset{margin:0 0 1rem;padding:.75rem 1rem;border:1px solid #8c959f;border-radius:.375rem}
legend{padding:0 .25rem;font-weight:600}
fieldset p{margin:0 0 .5rem;color:#57606a}
label{display:flex;gap:.5rem;align-items:center;min-height:2.75rem}
input{width:1.25rem;height:1.25rem;flex:none}
button{min-height:2.75rem;margin:0 0 .5rem;margin-inline-end:.5rem;padding:.5rem 1.25rem;font:inherit;font-weight:600;color:#1b1f24;background:#fff;border:1px solid #57606a;border-radius:.375rem;cursor:pointer}
button.main{color:${chooseTextColor(background)};background:${background}}
a{color:#1b1f24}
[role]{padding:.75rem 1rem;background:#eaeef2;border-radius:.375rem}
:focus-visible{outline:3px solid #1b1f24;outline-offset:2px}`;
}

/** Black or white, whichever has more contrast (WCAG 2.2, relative luminance): at least 4.58 on any color. */
export function chooseTextColor(color: string): '#000' | '#fff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? '#000' : '#fff';
}

/** Allows this style sheet and forms to the gateway, and nothing else. */
export function buildContentSecurityPolicy(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Colors, each as light and dark. The variables are for the page; the short names are for the rules. */
export const themeStyles = `
:host{color-scheme:light dark;
--bg:var(--belfry-background,light-dark(#fff,#101517));
--hover:var(--belfry-hover,light-dark(#eef2f1,#182023));
--line:var(--belfry-line,light-dark(#e1e6e4,#212a2d));
--ink:var(--belfry-text,light-dark(#131a1b,#e7eded));
--muted:var(--belfry-muted,light-dark(#445052,#aebabb));
--accent:var(--belfry-accent,light-dark(#0b6a71,#5fc4c0));
--accent-ink:var(--belfry-accent-text,light-dark(#fff,#06201f));
--radius:var(--belfry-radius,8px);
font:400 var(--belfry-font-size,14px)/1.43 var(--belfry-font,system-ui,sans-serif);
color:var(--ink)}
:host([hidden]),[hidden]{display:none!important}
:host([theme=light]){color-scheme:light}
:host([theme=dark]){color-scheme:dark}
*{box-sizing:border-box}
button{font:inherit;color:inherit;background:none;border:0;margin:0;padding:0;cursor:pointer;border-radius:calc(var(--radius) - 2px)}
button:hover{background:var(--hover)}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
svg{display:block;inline-size:20px;block-size:20px;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.hidden-text{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`;

export const inboxStyles = `
:host{display:block;background:var(--bg)}
.panel{display:flex;flex-direction:column;position:relative;inline-size:100%;max-block-size:100%}
.header{display:flex;align-items:center;gap:4px;min-block-size:48px;padding-inline:24px 8px;border-block-end:1px solid var(--line)}
h2{flex:1;margin:0;font-size:1.07em;font-weight:600}
h2:focus{outline:none}
.mark-all-read,.older,.newer,.retry,.undo{min-block-size:32px;padding-inline:8px;color:var(--accent);font-weight:500}
.scroll{flex:1;min-block-size:0;overflow:auto;overscroll-behavior:contain}
article{display:flex;gap:8px;align-items:flex-start;position:relative;padding-block:12px;padding-inline-end:8px;border-block-end:1px solid var(--line)}
article:hover{background:var(--hover)}
article:focus-visible{outline-offset:-2px}
.dot{flex:none;inline-size:8px;margin-block-start:6px;margin-inline:4px}
.dot.unread::before{content:"";display:block;border:4px solid var(--accent);border-radius:4px}
.image{flex:none;inline-size:40px;block-size:40px;object-fit:cover;border-radius:calc(var(--radius) - 2px)}
.content{flex:1;min-inline-size:0;display:grid;gap:2px;overflow-wrap:anywhere}
h3,p{margin:0;font-size:inherit;font-weight:400}
[part~=item-unread] h3{font-weight:600}
.item-body:empty{display:none}
.item-body{color:var(--muted);white-space:pre-line}
a[href]{color:inherit;text-decoration:underline;text-decoration-color:var(--line)}
a[href]:hover{color:var(--accent);text-decoration-color:currentColor}
time{color:var(--muted);font-size:.857em}
.actions{flex:none;display:flex;margin-block:-6px}
.actions button,.close{flex:none;display:grid;place-items:center;inline-size:32px;block-size:32px;color:var(--muted)}
.actions button:hover,.close:hover{color:var(--ink);background:var(--line)}
.older,.newer{display:block;inline-size:calc(100% - 16px);margin:8px;block-size:36px}
.state{display:grid;justify-items:center;gap:8px;padding:40px 16px;color:var(--muted);text-align:center}
.retry{border:1px solid;padding-inline:12px}
.notice{display:flex;align-items:center;gap:8px;min-block-size:40px;padding-inline:24px 8px;border-block-end:1px solid var(--line);color:var(--muted)}
.notice span{flex:1}
.notice.empty{position:absolute;min-block-size:0;border:0}
`;

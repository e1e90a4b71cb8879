/** The width up to which an open pane replaces its list. The style sheets name the same number. */
export const phone = '(max-width: 719px)';

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The `data` of a request: the values for template placeholders. */
export type Data = { [key: string]: Json };

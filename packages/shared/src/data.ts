/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The `data` of a request: what a template's placeholders read. */
export type Data = { [key: string]: Json };

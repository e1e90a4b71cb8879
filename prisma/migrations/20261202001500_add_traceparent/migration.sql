-- The W3C Trace Context of a request. Without a default, the table is not rewritten. Old code inserts no value.
ALTER TABLE request ADD COLUMN traceparent text;

-- Metadata and cancel key of an item, and the terms by which their requests are found. Items without these fields have no terms.
ALTER TABLE request_item ADD COLUMN metadata text, ADD COLUMN cancel_key text;
CREATE TABLE request_term (
  app_id uuid NOT NULL,
  term uuid NOT NULL,
  request_id uuid NOT NULL,
  CONSTRAINT request_term_pkey PRIMARY KEY (app_id, term, request_id)
);
CREATE INDEX request_term_request_id_idx ON request_term (request_id);

-- Two-step sign-in of operators (RFC 6238). `confirmed_at` is null until the operator has entered a code: until then, a sign-in asks for none.
CREATE TABLE operator_totp (
  operator_id uuid NOT NULL,
  secret text NOT NULL,
  confirmed_at timestamp(3) with time zone,
  last_step integer,
  recovery_codes bytea[] DEFAULT '{}' NOT NULL,
  CONSTRAINT operator_totp_pkey PRIMARY KEY (operator_id)
);
ALTER TABLE operator_totp ADD CONSTRAINT operator_totp_operator_id_fkey
    FOREIGN KEY (operator_id) REFERENCES operator(id) ON UPDATE CASCADE ON DELETE CASCADE;

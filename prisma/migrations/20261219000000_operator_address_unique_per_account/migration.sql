-- Breaks the code before it: that admits operators by an address that is unique over all accounts.

-- An address is an operator's once in each account, so that no account can take, block or move one of another.
CREATE UNIQUE INDEX "operator_account_id_email_key" ON "operator"("account_id", "email");
DROP INDEX "operator_email_key";
DROP INDEX "operator_account_id_idx";
-- Signing in looks for an address in all accounts.
CREATE INDEX "operator_email_idx" ON "operator"("email");

-- One salt for all passwords of an address: signing in derives one key, however many accounts have the address.
CREATE TABLE "operator_salt" (
    "email" TEXT NOT NULL,
    "salt" BYTEA NOT NULL,

    CONSTRAINT "operator_salt_pkey" PRIMARY KEY ("email")
);
INSERT INTO "operator_salt" ("email", "salt")
SELECT "email", decode(split_part("password_hash", '$', 3), 'base64') FROM "operator"
WHERE "password_hash" ~ '^scrypt\$[^$]+\$[A-Za-z0-9+/]{22}==\$';

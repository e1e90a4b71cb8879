-- One row for a mailbox, however it is spelled; the first one stays.
DELETE FROM "suppression" s USING "suppression" o
WHERE s."channel" = 'email' AND o."channel" = 'email' AND o."app_id" = s."app_id" AND o."sender" = s."sender"
  AND lower(o."recipient") = lower(s."recipient") AND o."id" < s."id";

UPDATE "suppression" SET "recipient" = lower("recipient") WHERE "channel" = 'email' AND "recipient" <> lower("recipient");

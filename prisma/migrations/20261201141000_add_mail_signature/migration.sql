-- Whether the mail server signed the mail of the last connection test, as a sentence.
ALTER TABLE integration_health ADD COLUMN mail_signature text;

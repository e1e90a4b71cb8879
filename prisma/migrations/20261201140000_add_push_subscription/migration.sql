-- Keys and expiration time of a web push subscription. Its endpoint is in fcm_token, so that one column has the address of every device.
ALTER TABLE device ADD COLUMN push_subscription jsonb;

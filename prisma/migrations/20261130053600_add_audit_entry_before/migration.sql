-- The values of the changed fields before the change. Null in older entries and for other actions.
ALTER TABLE audit_entry ADD COLUMN before jsonb;

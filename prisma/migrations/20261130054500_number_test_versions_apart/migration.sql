-- Tests no longer use up the numbers of live versions. Numbers that were given before stay as they are.
CREATE UNIQUE INDEX event_version_event_id_kind_number_key ON event_version (event_id, kind, number);
DROP INDEX event_version_event_id_number_key;

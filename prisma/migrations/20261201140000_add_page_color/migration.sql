-- Color of buttons on the pages behind unsubscribe links.
ALTER TABLE app ADD COLUMN page_color text;

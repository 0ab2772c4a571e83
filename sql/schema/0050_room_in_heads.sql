-- A new head is as long as it will be: two characters made some fifty rows a page, and with its first readings each of them left it, past every
-- index. White space is of no meaning in JSON; the first write of ingest takes it away. A meter's law and open hour have 250 characters.
ALTER TABLE device_heads ALTER COLUMN laws SET DEFAULT rpad('[]', 250);

-- A stray is what RabbitMQ has for nobody (energy.stray). What devices of departed accounts still publish has a name of its own.
-- A process of the version before tries again to keep such messages until it is one of this version: nothing is lost.
ALTER TABLE stray_messages RENAME TO departed_messages;
ALTER TABLE departed_messages RENAME COLUMN stray_id TO place;
ALTER INDEX stray_messages_pkey RENAME TO departed_messages_pkey;
ALTER INDEX stray_messages_login RENAME TO departed_messages_login;
ALTER SEQUENCE stray_messages_stray_id_seq RENAME TO departed_messages_place_seq;

COMMENT ON TABLE departures IS 'Accounts that moved into another installation: nothing else of them is left here. Removed 90 days after they left.';
COMMENT ON TABLE departed_logins IS 'Devices and gateways of departed accounts: what they still publish here is kept for where they are. Until the account is erased there, as the next run of energy migrate --users finds, or its departure ends.';

-- A device that announced itself and sent no value yet is listed, with the topics that its owner's bridge lacks.
ALTER TABLE discovered_devices ADD COLUMN awaits text;
COMMENT ON COLUMN discovered_devices.awaits IS 'Filter of topics, below the gateway''s prefix, on which the values of an announced device are expected. Empty: another family reads these topics, and the row is hidden. Null: a value was received.';

-- What replay needs to know of a rejected message, and its payload no more than a few times.
ALTER TABLE rejected_messages
  ADD COLUMN replayed boolean NOT NULL DEFAULT false,
  ADD COLUMN message_id bigint REFERENCES rejected_messages ON DELETE CASCADE;
COMMENT ON TABLE rejected_messages IS 'Messages, or single elements of one (element: position from 0), that could not be used.';
COMMENT ON COLUMN rejected_messages.payload IS 'Cut at 64 KiB. Empty in most rows of a message with many: message_id says which one has it.';
COMMENT ON COLUMN rejected_messages.replayed IS 'The broker delivered it at subscription, with the retain flag: it has no age but its own time.';
COMMENT ON COLUMN rejected_messages.message_id IS 'rejected_id of the first row of the same message, which has its payload; null in that row itself.';
CREATE INDEX rejected_messages_message ON rejected_messages (message_id) WHERE message_id IS NOT NULL;

-- So far only the reason told which messages had been retained; other elements of them may have been refused for others.
UPDATE rejected_messages r SET replayed = true
FROM (SELECT DISTINCT topic, received_at FROM rejected_messages
      WHERE reason = 'retained message without a time of its own') retained
WHERE r.topic = retained.topic AND r.received_at = retained.received_at;
